import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCommand } from './bundle-command.ts';

/**
 * Builds the wheel of the Python package into the folder `into`, and returns its path. pip fetches
 * the build backend.
 *
 * @param python a Python of 3.10 or later, with pip
 */
export async function buildWheel(root: string, into: string, python: string = 'python3'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-wheel-'));
  try {
    cpSync(join(root, 'apps/python/python'), folder, { recursive: true });
    for (const name of ['LICENSE', 'NOTICE']) cpSync(join(root, name), join(folder, name));
    await bundleCommand(root, join(folder, 'nccl_ts/_js'));
    mkdirSync(into, { recursive: true });
    const args = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', into, folder];
    const { status, stderr, error } = spawnSync(python, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`pip could not build the wheel: ${error?.message ?? stderr}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const wheel = readdirSync(into).find((name) => name.endsWith('-py3-none-any.whl'));
  if (wheel === undefined) throw new Error(`there is no wheel in ${into}`);
  return join(into, wheel);
}

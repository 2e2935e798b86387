import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * Large tools that only this command needs. It installs exact versions when it runs, without
 * running their scripts.
 */
const versions = {
  webpack: '5.112.2',
  'webpack-cli': '7.3.1',
  bun: '1.4.5',
  deno: '2.9.6',
} as const;

export type ToolName = keyof typeof versions;

/**
 * Installs tools from the npm registry into a temporary folder, and returns their `node_modules`.
 */
export async function installTools(names: readonly ToolName[]): Promise<string> {
  const folder = join(tmpdir(), `nccl-ts-build-tools-${process.getuid?.() ?? 0}`, names.join('+').replaceAll('/', '-'));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const wanted = names.map((name) => `${name}@${versions[name]}`);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
  await execute('npm', ['install', ...options, ...wanted], { cwd: folder });
  return join(folder, 'node_modules');
}

/**
 * The program of a tool that has a separate package for each platform.
 *
 * @throws Error if there is none for this platform
 */
export async function installedBinary(tool: 'bun' | 'deno', scope: string, binary: string): Promise<string> {
  const modules = await installTools([tool]);
  const [own] = await readdir(join(modules, scope));
  if (own === undefined) throw new Error(`${tool} has no program for ${process.platform} ${process.arch}`);
  return join(modules, scope, own, binary);
}

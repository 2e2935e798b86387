import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const app = join(dirname(fileURLToPath(import.meta.url)), '../..');
const root = join(app, '../..');

/** Where the user's modules of these tests are, and where the command is started. */
export const fixtures: string = join(app, 'test/fixtures');

/** What a command did. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Builds the command line and all that it imports; next to nothing where that has been done. */
export function build(): void {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const { status, stdout } = spawnSync(process.execPath, [join(dirname(manifest), 'bin/tsc'), '-b', app], {
    encoding: 'utf8',
  });
  if (status !== 0) console.error(stdout);
  if (!existsSync(join(app, 'dist/main.js'))) throw new Error('the command line could not be built');
}

/** Runs the built `nccl-ts` as a user's shell would. Paths of this checkout are `<root>` in what it printed. */
export async function ncclTs(
  args: readonly string[],
  cwd: string = fixtures,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [join(app, 'bin/nccl-ts.js'), ...args], {
    cwd,
    env: { ...softwareGpu(), ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }),
  ]);
  return { code, stdout: stdout.replaceAll(root, '<root>'), stderr: stderr.replaceAll(root, '<root>') };
}

/** Chromium's driver for the CPU, where Debian's package puts it. Without the second variable, drivers complain. */
function softwareGpu(): Readonly<Record<string, string>> {
  const driver = '/usr/lib/chromium/vk_swiftshader_icd.json';
  return { XDG_RUNTIME_DIR: tmpdir(), ...(existsSync(driver) ? { VK_ICD_FILENAMES: driver } : {}) };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

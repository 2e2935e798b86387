import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { root } from './root.mjs';

const folder = join(root, 'packages/backend-sim/src/worker');
const file = join(folder, 'worker-text.ts');

/**
 * Makes the module with the program of the simulator's worker threads: `worker.ts` and all its
 * imports, as one script in a string, so that users' bundlers need not find a file. Git ignores it.
 * `pnpm install`, `npm run build` and each run of vitest make it anew.
 */
export async function writeWorkerText() {
  const text = await makeWorkerText();
  if (readWorkerText() === text) return;
  // Other processes may read it meanwhile, and must not see half of it.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

export async function makeWorkerText() {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'worker.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['@nccl-ts/source'],
    legalComments: 'none',
  });
  const script = outputFiles.map((output) => output.text.trimEnd()).join('');
  return [
    '// Made by tooling/bootstrap/src/worker-text.mjs: what worker threads run, as one script.',
    `export const workerText: string = ${JSON.stringify(script)};`,
    '',
  ].join('\n');
}

/** @returns {string | undefined} `undefined` if there is no such file */
export function readWorkerText() {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeWorkerText();

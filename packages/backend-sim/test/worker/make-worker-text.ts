import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

/** The path of the committed module with the text that worker threads run. */
export const workerTextFile: string = fileURLToPath(new URL('../../src/worker/worker-text.ts', import.meta.url));

/** Returns the expected text: `worker.ts` with all its imports, as one script. */
export async function makeWorkerText(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/worker/worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['@nccl-ts/source'],
    legalComments: 'none',
  });
  const text = outputFiles[0]?.text.trimEnd() ?? '';
  return [
    '// Made by `pnpm --filter @nccl-ts/backend-sim worker-text`: what worker threads run, as one script.',
    `export const workerText: string = ${JSON.stringify(text)};`,
    '',
  ].join('\n');
}

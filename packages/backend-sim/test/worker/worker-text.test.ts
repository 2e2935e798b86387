import { readFile } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { makeWorkerText, workerTextFile } from './make-worker-text.ts';

it('the committed text of worker threads is up to date (otherwise run `pnpm --filter @nccl-ts/backend-sim worker-text`)', async () => {
  expect(await readFile(workerTextFile, 'utf8')).toBe(await makeWorkerText());
});

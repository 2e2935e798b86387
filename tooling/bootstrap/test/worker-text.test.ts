import { expect, it } from 'vitest';

import { makeWorkerText, readWorkerText } from '../src/worker-text.mjs';

it('the text of worker threads is up to date', async () => {
  expect(readWorkerText()).toBe(await makeWorkerText());
});

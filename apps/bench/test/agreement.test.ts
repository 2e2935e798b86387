import { describe, expect, it } from 'vitest';
import { agreement, type AgreementOptions } from '../src/agreement/agreement.ts';
import { batchesOf } from '../src/agreement/batches.ts';
import { caseWorker } from '../src/agreement/case-worker.ts';

describe('a worker thread', () => {
  it.each(['js', 'wasm'] as const)('runs the cases of a batch, engine %s', async (engine) => {
    const data = { set: 'pairwise', filter: 'allGather/direct/i32', engine } as const;
    const [batch] = batchesOf(data.set, data.filter);
    expect(await caseWorker(data)(0)).toEqual({ cases: batch?.length, problems: [] });
    expect(batch?.length).toBeGreaterThan(0);
  });
});

/** Threads that answer with two cases for each batch, and complain of batch 4. */
const answers = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', (batch) => {
  parentPort.postMessage({ cases: 2, problems: batch === 4 ? ['batch 4'] : [] });
});`;

function optionsOf(text: string, others: Partial<AgreementOptions> = {}): AgreementOptions {
  return {
    entry: new URL(`data:text/javascript,${encodeURIComponent(text)}`),
    args: [],
    batches: 9,
    threads: 3,
    step: 1,
    over: () => false,
    progress: () => {},
    ...others,
  };
}

describe('agreement', () => {
  it('runs every batch, and collects the disagreements', async () => {
    expect(await agreement(optionsOf(answers))).toEqual({ done: 9, batches: 9, cases: 18, problems: ['batch 4'] });
  });

  it('omits batches on request', async () => {
    expect(await agreement(optionsOf(answers, { step: 3 }))).toEqual({ done: 3, batches: 3, cases: 6, problems: [] });
  });

  it('reports its progress when its time is up', async () => {
    let done = 0;
    const over = (): boolean => done >= 5;
    const found = await agreement(optionsOf(answers, { threads: 1, over, progress: (so) => (done = so.done) }));
    expect(found).toMatchObject({ done: 5, batches: 9 });
  });

  it('fails if a worker thread fails', async () => {
    const broken = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', () => { throw new Error('broken'); });`;
    await expect(agreement(optionsOf(broken))).rejects.toThrow('broken');
  });
});

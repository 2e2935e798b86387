import { World } from '@nccl-ts/communicator';
import { machines } from '@nccl-ts/cost-model';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { changeablePlaces, predictWhatIf, type PredictProgram, type WhatIf } from '@nccl-ts/prediction';
import { expect, test } from 'vitest';

const send = kernel(
  { name: 'send', use: { lsa }, params: { comm: devComm, win: window, words: u32 } },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, u32, fence, waitUntil }, { comm, win, words }) => {
    const theirs = lsa.pointer(win, u32, 0, 1 - comm.lsaRank);
    for (let i = threadIdx.x + blockDim.x * blockIdx.x; i < words; i += blockDim.x * gridDim.x) theirs.store(64 + i, i);
    fence('seq_cst', 'system');
    if (threadIdx.x === 0) {
      theirs.store(blockIdx.x, 1, 'release', 'system');
      waitUntil(() => lsa.localPointer(win, u32, 0).load(blockIdx.x, 'acquire', 'system') === 1);
    }
  },
);

const program =
  (words: number): PredictProgram =>
  async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 64 + words);
      await comm.launch(send, { grid: 2, block: 32 }, { comm: await comm.createDevComm({}), win, words });
      await comm.synchronize();
    });
  };

const options = { ranks: 2, machine: machines['h200-nvlink4'], bounds: false };

const { prediction, places } = await changeablePlaces(options, program(256));
const before = prediction.nanoseconds;

/** The line of the first place with a statement of that name. */
function lineOf(name: string): number {
  const place = places.find(({ names }) => names.includes(name));
  return Number(/:(\d+)$/.exec(place?.at ?? '')?.[1]);
}

const whatIf = async (...changes: readonly WhatIf[]): ReturnType<typeof predictWhatIf> =>
  predictWhatIf(options, program(256), changes, before);

test('places are the lines of the source', () => {
  for (const { at } of places) expect(at).toMatch(/^what-if\.test\.ts:\d+$/);
  expect(places.flatMap(({ names }) => names)).toEqual(['fence', 'store', 'wait', 'load']);
});

test('without a fence a program takes less time, by its line', async () => {
  const made = await whatIf({ kind: 'sync', at: { line: lineOf('fence') }, to: 'removed' });
  expect(made).toMatchObject({
    changes: [{ at: `what-if.test.ts:${lineOf('fence')}`, does: 'fence (seq_cst, system) is removed', copies: 1 }],
    isBelowResolution: false,
  });
  expect('saved' in made && made.saved).toBeGreaterThan(200);
  expect('saved' in made && made.saved + made.nanoseconds).toBeCloseTo(before, 6);
});

test('a weaker order of a fence is below the resolution', async () => {
  const at = { file: 'what-if.test.ts', line: lineOf('fence') };
  expect(await whatIf({ kind: 'sync', at, to: 'acq_rel' })).toMatchObject({ isBelowResolution: true });
});

test('several changes are made together', async () => {
  const fence = { kind: 'sync', at: { line: lineOf('fence') }, to: 'removed' } as const;
  const store = { kind: 'sync', at: { line: lineOf('store') }, to: 'relaxed' } as const;
  const [alone, both] = [await whatIf(fence), await whatIf(fence, store)];
  expect('saved' in both && 'saved' in alone && both.saved > alone.saved).toBe(true);
  expect(both.changes).toHaveLength(2);
});

test('launches have more CTAs', async () => {
  expect(await whatIf({ kind: 'ctas', factor: 2 })).toMatchObject({
    changes: [{ at: '', does: 'launch of 2 CTAs has 4', copies: 2 }],
    nanoseconds: expect.any(Number),
  });
});

test.each([
  ['sync', { kind: 'sync', at: { line: 1 }, to: 'removed' }, /^there is no synchronization in line 1; there is in /],
  ['ctas', { kind: 'ctas', factor: 1 }, /^no launch would have another number/],
  ['stores', { kind: 'stores' }, /^no thread stores values to neighbouring places/],
] satisfies [string, WhatIf, RegExp][])('what cannot be made says why: %s', async (_, change, why) => {
  expect(await whatIf(change)).toEqual({ changes: [], why: expect.stringMatching(why) });
});

test('a place that cannot be changed so says how it can be', async () => {
  expect(await whatIf({ kind: 'sync', at: { line: lineOf('fence') }, to: 'warp' })).toMatchObject({
    why: expect.stringMatching(/^fence in line \d+ cannot be warp; it can be weaker, .*removed/),
  });
});

test('a changed program that fails has no time', async () => {
  // Without its flag, the other rank waits forever.
  const made = await whatIf({ kind: 'ctas', factor: 64 });
  expect(made).toMatchObject({ why: expect.any(String) });
});

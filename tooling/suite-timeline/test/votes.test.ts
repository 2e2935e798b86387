import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { devComm, window } from '@nccl-ts/devcomm';
import { deviceFn, kernel, u32, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Slice } from '@nccl-ts/core';
import { tracksOf } from '@nccl-ts/timeline';
import { describe, expect, inject, it } from 'vitest';
import { tracedRun } from './support/traced-run.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const trace: SimTraceOptions = {
  launchLatency: 1000,
  stepTime: 10,
  syncTime: 0,
  fenceTime: 20,
  memory: { latency: 300, cachedLatency: 50 },
  nvlink: { latency: 70, loadLatency: 140 },
};

/** Returns when a thread of the CTA sees its word, lanes of a warp, or the words of all lanes. */
type Wait = DeviceFn<(look: (word: number) => boolean) => void>;

const waits = {
  each: deviceFn({ name: 'each' }, ({ waitUntil, threadIdx }, look: (word: number) => boolean) => {
    waitUntil(() => look(threadIdx.x));
  }),
  first: deviceFn({ name: 'first' }, ({ waitUntil }, look: (word: number) => boolean) => {
    waitUntil(() => look(20));
  }),
  all: deviceFn({ name: 'all' }, ({ coopWarp, threadIdx }, look: (word: number) => boolean) => {
    let isHere = false;
    while (!isHere) isHere = coopWarp().all(look(threadIdx.x));
  }),
  'not any': deviceFn({ name: 'notAny' }, ({ coopWarp, threadIdx }, look: (word: number) => boolean) => {
    while (coopWarp().any(!look(threadIdx.x))) {
      // The next round looks again.
    }
  }),
  any: deviceFn({ name: 'any' }, ({ coopWarp, threadIdx }, look: (word: number) => boolean) => {
    while (!coopWarp().any(look(threadIdx.x))) {
      // The next round looks again.
    }
  }),
  ballot: deviceFn({ name: 'ballot' }, ({ ballot, threadIdx, u32 }, look: (word: number) => boolean) => {
    let votes = u32(0);
    do votes = ballot(look(threadIdx.x));
    while (votes !== 0xffffffff);
  }),
  CTA: deviceFn({ name: 'cta' }, ({ coopCta, threadIdx }, look: (word: number) => boolean) => {
    while (!coopCta().all(look(threadIdx.x))) {
      // The next round looks again.
    }
  }),
} satisfies Record<string, Wait>;

/**
 * The other ranks set the words of rank 1. Each sets those of its part one by one, from the 20th
 * on.
 */
const tells = (wait: Wait) =>
  kernel(
    { name: 'tells', use: { lsa, wait }, params: { comm: devComm, win: window, words: u32 } },
    ({ lsa, wait, threadIdx, u32 }, { comm, win, words }) => {
      const flags = lsa.pointer(win, u32, 0, 1);
      if (comm.rank !== 1) {
        const part = words / u32(comm.nRanks - 1);
        const first = comm.rank === 0 ? u32(0) : part * u32(comm.rank - 1);
        if (threadIdx.x === 0) {
          // Each rank begins later than the one before.
          for (let i = u32(0); i < 4 * u32(comm.rank); i++) flags.store(words + 1, 1, 'release', 'system');
          for (let i = u32(0); i < part; i++) flags.store(first + ((i + 20) % part), 1, 'release', 'system');
        }
      } else {
        wait((word) => flags.load(word, 'relaxed', 'system') === 1);
        flags.store(words, 1, 'release', 'system');
      }
    },
  );

/** The wait of rank 1: its slice, and the number of arrows to it. */
async function waitOf(
  wait: Wait,
  seed = 0,
  block = 32,
  ranks = 2,
): Promise<Pick<Slice, 'name' | 'start' | 'end' | 'args'> & { arrows: number }> {
  const { timeline, error } = await tracedRun({ ranks, seed, trace }, async (comm) => {
    const win = await comm.allocWindow('u32', block + 2);
    const dev = await comm.createDevComm({});
    await comm.launch(tells(wait), { grid: 1, block }, { comm: dev, win, words: block });
    await comm.synchronize();
  });
  expect(error).toBeUndefined();
  const [slice, ...others] = tracksOf(timeline)
    .filter(({ rank }) => rank === 1)
    .flatMap(({ slices }) => slices.filter(({ category }) => category === 'wait'));
  expect(others).toEqual([]);
  if (slice === undefined) throw new Error('Rank 1 does not wait.');
  const { name, start, end, args } = slice;
  return { name, start, end, args, arrows: timeline.flows.length };
}

describe('a loop around a vote takes the time of the wait that it is', () => {
  it.each((['all', 'not any', 'ballot', 'CTA'] as const).filter((row) => (row === 'all') !== inject('slow')))(
    'if %s lanes must see their words',
    async (name) => {
      const expected = await waitOf(waits.each);
      for (let seed = 0; seed < 4; seed++) expect(await waitOf(waits[name], seed)).toEqual(expected);
    },
  );

  it.for(quick)('if any lane may end it', async () => {
    const expected = await waitOf(waits.first);
    expect(expected.end).toBeLessThan((await waitOf(waits.each)).end);
    for (let seed = 0; seed < 4; seed++) expect(await waitOf(waits.any, seed)).toEqual(expected);
  });

  it.for(slow)('for each warp, whatever the order in which the schedule ends their waits', async () => {
    const expected = await waitOf(waits.all, 0, 96, 4);
    for (let seed = 1; seed < 6; seed++) expect(await waitOf(waits.all, seed, 96, 4)).toEqual(expected);
  });

  it.for(slow)('if all warps of a CTA vote', async () => {
    const expected = await waitOf(waits.each, 0, 96);
    for (let seed = 0; seed < 4; seed++) expect(await waitOf(waits.CTA, seed, 96)).toEqual(expected);
  });
});

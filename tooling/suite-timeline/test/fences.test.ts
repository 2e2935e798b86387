import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, inject, it } from 'vitest';
import { tracedRun } from './support/traced-run.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const trace: SimTraceOptions = { launchLatency: 0, stepTime: 0, syncTime: 0, fenceTime: 100, ctaFenceTime: 250 };

/** The first `threads` threads of a CTA of two warps fence, `rounds` times. */
const fences = kernel(
  { name: 'fences', params: { threads: u32, rounds: u32 } },
  ({ coopCta, fence, threadIdx, u32 }, { threads, rounds }) => {
    for (let round = u32(0); round < rounds; round++) {
      if (threadIdx.x < threads) fence('acq_rel', 'system');
      coopCta().sync();
    }
  },
);

it.each(
  (
    [
      ['a thread', 1, 100],
      ['a warp', 32, 100],
      ['all warps of a CTA', 64, 250],
    ] as const
  ).filter(() => !inject('slow')),
)('a fence of %s takes its time in each round', async (_title, threads, time) => {
  for (const rounds of [1, 3]) {
    const { timeline } = await tracedRun({ ranks: 1, trace }, async (comm) => {
      await comm.launch(fences, { grid: 1, block: 64 }, { threads, rounds });
      await comm.synchronize();
    });
    expect(timeline.end).toBeCloseTo(rounds * time);
  }
});

/** A fence of each order within a CTA costs nothing, and each order at system scope one fence. */
const orders = kernel({ name: 'orders', params: {} }, ({ fence }) => {
  fence('acq_rel', 'block');
  fence('release', 'system');
  fence('acquire', 'system');
});

it.for(quick)('a fence takes its time in each order, unless it is within a CTA', async () => {
  const { timeline } = await tracedRun({ ranks: 1, trace }, async (comm) => {
    await comm.launch(orders, { grid: 1, block: 64 }, {});
    await comm.synchronize();
  });
  expect(timeline.end).toBeCloseTo(2 * 250);
});

const FAST = 1e9;
const THREADS = 64;
/** Nanoseconds until a poll sees a flag, and until a rank knows that its store has arrived. */
const [FLAG, ARRIVAL] = [10, 500];

const twoRanks: SimTraceOptions = {
  ...trace,
  fenceTime: 100,
  ctaBandwidth: FAST,
  memory: { latency: 0, cachedLatency: 0, bandwidth: FAST, ctaBandwidth: FAST },
  nvlink: { latency: FLAG, loadLatency: 0, storeLatency: ARRIVAL, bandwidth: FAST, storeBandwidth: 1 },
};

/** All warps fence, and the first thread sends a flag. */
const fencesAndTells = kernel(
  { name: 'fencesAndTells', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, fence, threadIdx, u32, waitUntil }, { comm, win }) => {
    fence('acq_rel', 'system');
    if (threadIdx.x === 0) {
      lsa.peerPointer(win, u32, 0, 1 - comm.rank).store(0, 1, 'relaxed', 'system');
      const own = lsa.localPointer(win, u32, 0);
      waitUntil(() => own.load(0, 'relaxed', 'system') === 1);
    }
  },
);

/** All threads store to the peer, and the first one releases what they have stored. */
const storesAndTells = kernel(
  { name: 'storesAndTells', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, threadIdx, u32, vec, waitUntil }, { comm, win }) => {
    const V = vec(u32, 4);
    lsa.peerPointer(win, V, 4096, 1 - comm.rank).store(threadIdx.x, V(1, 1, 1, 1));
    coopCta().sync();
    if (threadIdx.x === 0) {
      lsa.peerPointer(win, u32, 0, 1 - comm.rank).store(0, 1, 'release', 'system');
      const own = lsa.localPointer(win, u32, 0);
      waitUntil(() => own.load(0, 'acquire', 'system') === 1);
    }
  },
);

it.each(
  (
    [
      ['a fence of all warps leaves when all have fenced', fencesAndTells, 250 + FLAG],
      ['stores of its CTA leaves when the last byte has arrived', storesAndTells, 16 * THREADS + ARRIVAL + FLAG],
    ] as const
  ).filter((_, i) => (i === 1) !== inject('slow')),
)('a flag behind %s', async (_title, exchange, time) => {
  const { timeline } = await tracedRun({ ranks: 2, trace: twoRanks }, async (comm) => {
    const win = await comm.allocWindow('u32', 4096);
    await comm.launch(exchange, { grid: 1, block: THREADS }, { comm: await comm.createDevComm({}), win });
    await comm.synchronize();
  });
  expect(timeline.end).toBeCloseTo(time, 3);
});

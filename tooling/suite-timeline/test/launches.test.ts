import { sim } from '@nccl-ts/backend-sim';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Slice, Timeline } from '@nccl-ts/core';
import { chromeTrace, checkChromeTrace, createTimelineRecorder, tracksOf } from '@nccl-ts/timeline';
import { describe, expect, it } from 'vitest';
import { tracedRun } from './support/traced-run.ts';

const trace: SimTraceOptions = {
  launchLatency: 1000,
  stepTime: 10,
  ctaBandwidth: 100,
  memory: { latency: 50, cachedLatency: 50, bandwidth: 100 },
  nvlink: { latency: 70, bandwidth: 8 },
};

function slicesOf(timeline: Timeline, category: Slice['category']): readonly Slice[] {
  return tracksOf(timeline).flatMap(({ slices }) => slices.filter((slice) => slice.category === category));
}

const nothing = kernel({ name: 'nothing', params: {} }, () => {});

/** Every rank stores to, or loads from, the next one. */
const neighbour = kernel(
  { name: 'neighbour', use: { lsa }, params: { comm: devComm, win: window, loads: u32 } },
  ({ lsa, threadIdx, u32 }, { comm, win, loads }) => {
    const theirs = lsa.peerPointer(win, u32, 0, (comm.rank + 1) % comm.nRanks);
    if (loads === 0) theirs.store(threadIdx.x, 1);
    else lsa.localPointer(win, u32, 0).store(threadIdx.x, theirs.load(threadIdx.x));
  },
);

/** In every thread, a store with an order follows a load. */
const loadsAndTells = kernel(
  { name: 'loadsAndTells', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, u32 }, { comm, win }) => {
    const theirs = lsa.peerPointer(win, u32, 0, (comm.rank + 1) % comm.nRanks);
    theirs.store(threadIdx.x, theirs.load(threadIdx.x), 'relaxed', 'system');
  },
);

const neverMeets = kernel(
  { name: 'neverMeets', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta, blockIdx, assert }, { comm }) => {
    assert(comm.rank !== 2, 'rank 2 fails');
    if (comm.rank === 0) lsa.barrierSession(coopCta(), comm, blockIdx.x).sync(coopCta(), 'acquire');
  },
);

/**
 * Waits for another thread of the CTA, so that every thread has a program counter.
 */
const oneByOne = kernel(
  { name: 'oneByOne', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, waitUntil, u32 }, { comm, win }) => {
    const next = lsa.peerPointer(win, u32, 0, (comm.rank + 1) % comm.nRanks);
    const own = lsa.localPointer(win, u32, 0);
    if (threadIdx.x === 0) next.store(0, 1, 'release', 'system');
    else waitUntil(() => own.load(0, 'acquire', 'system') === 1);
  },
);

describe('launches', () => {
  it('begin after earlier launches of the stream', async () => {
    const { timeline } = await tracedRun({ ranks: 1, trace }, async (comm) => {
      await comm.launch(nothing, { grid: 1, block: 32 }, {});
      await comm.launch(nothing, { grid: 1, block: 32 }, {});
      await comm.synchronize();
    });
    expect(slicesOf(timeline, 'launch')).toMatchObject([
      { start: 1000, end: 1010, args: { launch: 0 } },
      { start: 2010, end: 2020, args: { launch: 1 } },
    ]);
  });

  it('wait for room on the device, CTA by CTA', async () => {
    const { timeline } = await tracedRun({ ranks: 1, residentCtas: 2, trace }, async (comm) => {
      await comm.launch(nothing, { grid: 5, block: 32 }, {});
      await comm.synchronize();
    });
    expect(slicesOf(timeline, 'launch').map(({ start }) => start)).toEqual([1000, 1000, 1010, 1010, 1020]);
  });

  it.each([
    ['stores to a peer take their bytes', 0, 10 + (4 * 64) / 8],
    ['loads from a peer go there and back', 1, 10 + 2 * 70 + (4 * 64) / 8],
  ])('in simulated time, %s', async (_name, loads, time) => {
    const { timeline } = await tracedRun({ ranks: 2, trace }, async (comm) => {
      const win = await comm.allocWindow('u32', 64);
      const dev = await comm.createDevComm({});
      await comm.launch(neighbour, { grid: 1, block: 64 }, { comm: dev, win, loads });
      await comm.synchronize();
    });
    for (const { start, end } of slicesOf(timeline, 'launch')) expect(end - start).toBeCloseTo(time);
  });

  it('make one round trip for all loads of a step', async () => {
    const { timeline } = await tracedRun({ ranks: 2, trace }, async (comm) => {
      const win = await comm.allocWindow('u32', 64);
      const dev = await comm.createDevComm({});
      await comm.launch(loadsAndTells, { grid: 1, block: 64 }, { comm: dev, win });
      await comm.synchronize();
    });
    for (const { start, end } of slicesOf(timeline, 'launch')) {
      expect(end - start).toBeCloseTo(10 + 2 * 70 + (2 * 4 * 64) / 8);
    }
  });

  it('share the bandwidth among their CTAs', async () => {
    const { timeline } = await tracedRun({ ranks: 2, trace }, async (comm) => {
      const win = await comm.allocWindow('u32', 64);
      const dev = await comm.createDevComm({});
      await comm.launch(neighbour, { grid: 4, block: 64 }, { comm: dev, win, loads: 0 });
      await comm.synchronize();
    });
    for (const { start, end } of slicesOf(timeline, 'launch')) expect(end - start).toBeCloseTo(10 + (4 * 64) / (8 / 4));
  });

  it('with divergent threads also have times for their waits', async () => {
    const { timeline } = await tracedRun({ ranks: 2, trace }, async (comm) => {
      const win = await comm.allocWindow('u32', 1);
      const dev = await comm.createDevComm({});
      await comm.launch(oneByOne, { grid: 1, block: 2 }, { comm: dev, win });
      await comm.synchronize();
    });
    const sent = 1000 + 10 + 20; // launch, step, release
    const waits = slicesOf(timeline, 'wait');
    expect(waits.map(({ end }) => end)).toEqual([sent + 70 + 50, sent + 70 + 50]);
    expect(timeline.flows).toHaveLength(2);
  });

  it.each([
    ['a deadlock', 2, 'NCCLTS_DEADLOCK'],
    ['a fault', 3, 'NCCLTS_FAULT'],
  ])('that end with %s are cut off', async (_name, ranks, code) => {
    const { timeline, error } = await tracedRun({ ranks, trace }, async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(neverMeets, { grid: 1, block: 32 }, { comm: dev });
      await comm.synchronize();
    });
    expect(error).toMatchObject({ code });
    expect(checkChromeTrace(chromeTrace(timeline))).toEqual([]);
    const stopped = slicesOf(timeline, 'launch').filter(({ args }) => args['unfinished'] === true);
    expect(stopped.length).toBeGreaterThan(0);
  });
});

/** Every thread signals the same thread of the other rank, and waits for its signal. */
const allTell = kernel(
  { name: 'allTell', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, waitUntil, u32 }, { comm, win }) => {
    const next = lsa.peerPointer(win, u32, 0, (comm.rank + 1) % comm.nRanks);
    const own = lsa.localPointer(win, u32, 0);
    next.store(threadIdx.x, 1, 'relaxed', 'system');
    waitUntil(() => own.load(threadIdx.x, 'relaxed', 'system') === 1);
  },
);

describe('flags', () => {
  it('that are in flight together cost one trip, however many threads send one', async () => {
    const ends: number[] = [];
    for (const block of [1, 512]) {
      const { timeline } = await tracedRun({ ranks: 2, trace }, async (comm) => {
        const win = await comm.allocWindow('u32', block);
        const dev = await comm.createDevComm({});
        await comm.launch(allTell, { grid: 1, block }, { comm: dev, win });
        await comm.synchronize();
      });
      ends.push(timeline.end);
    }
    const [one = 0, many = 0] = ends;
    const bytes = (4 * 512) / 8;
    expect(many - one).toBeGreaterThanOrEqual(0);
    expect(many - one).toBeLessThan(2 * bytes);
  });
});

describe('options', () => {
  it.each([
    [{ launchLatency: -1 }, /trace\.launchLatency must be nanoseconds/],
    [{ network: { bandwidth: 0 } }, /trace\.network\.bandwidth must be bytes per nanosecond/],
    [{ nvlink: { messageTime: 1 } }, /trace\.nvlink must be an object of latency, /],
    [{ speed: 1 }, /trace must be an object of launchLatency, /],
    ['yes', /trace must be an object; given "yes"/],
  ])('%j are refused', (given, message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What a program without types may give.
    expect(() => sim({ ranks: 1, trace: given as SimTraceOptions })).toThrow(message);
  });

  it('timeline() throws without a recorder', async () => {
    const world = await sim({ ranks: 1, trace: true }).open({ onStall: () => {} });
    // Untyped code may do this.
    const timeline: unknown = Reflect.get(world, 'timeline');
    if (typeof timeline !== 'function') throw new Error('There is none.');
    for (const given of [[], [null], [{}]]) {
      expect(() => void Reflect.apply(timeline, world, given)).toThrow(
        expect.objectContaining({
          code: 'NCCL_INVALID_ARGUMENT',
          message: expect.stringContaining('createTimelineRecorder() of @nccl-ts/timeline'),
        }),
      );
    }
    await world[Symbol.asyncDispose]();
  });

  it('without them there is no timeline', async () => {
    const backend = sim({ ranks: 1 });
    const world = await backend.open({ onStall: () => {} });
    for (const traced of [world, backend]) {
      expect(() => traced.timeline(createTimelineRecorder())).toThrow(/sim\(\{ trace: true \}\)/);
    }
    await world[Symbol.asyncDispose]();
  });
});

describe('the timeline of a backend', () => {
  it('is that of the world that was opened last, also after it was closed', async () => {
    const backend = sim({ ranks: 2, trace: true });
    const launchesOf = (): number => slicesOf(backend.timeline(createTimelineRecorder()), 'launch').length;
    expect(launchesOf).toThrow('has not opened a world');
    for (const launches of [1, 3]) {
      const world = await World.open({ backend });
      await world.run(async (comm) => {
        for (let i = 0; i < launches; i++) await comm.launch(nothing, { grid: 1, block: 1 }, {});
      });
      expect(launchesOf()).toBe(2 * launches);
      await world.close();
      expect(launchesOf()).toBe(2 * launches);
    }
  });
});

/** One thread of rank 0 sends several words; rank 1 waits for the last. Nothing else follows. */
const lastStores = kernel(
  { name: 'lastStores', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, u32, waitUntil }, { comm, win }) => {
    if (threadIdx.x !== 0) return;
    if (comm.rank === 0) {
      for (let i = u32(0); i < 8; i++) lsa.peerPointer(win, u32, 0, 1).store(i, 1, 'relaxed', 'system');
    } else waitUntil(() => lsa.localPointer(win, u32, 0).load(7, 'relaxed', 'system') === 1);
  },
);

it('each arrow begins at a slice, though a store leaves after the end of its CTA', async () => {
  const { timeline } = await tracedRun({ ranks: 2, trace }, async (comm) => {
    const win = await comm.allocWindow('u32', 8);
    const dev = await comm.createDevComm({});
    await comm.launch(lastStores, { grid: 1, block: 256 }, { comm: dev, win });
    await comm.synchronize();
  });
  expect(timeline.flows.map(({ name }) => name)).toContain('store');
  expect(checkChromeTrace(chromeTrace(timeline))).toEqual([]);
});

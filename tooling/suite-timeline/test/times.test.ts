import type { SimOptions } from '@nccl-ts/backend-sim';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import type { Communicator } from '@nccl-ts/communicator';
import type { Slice, Timeline } from '@nccl-ts/core';
import { chromeTrace, checkChromeTrace, tracksOf } from '@nccl-ts/timeline';
import { describe, expect, inject, it } from 'vitest';
import { onePut, runAllToAll, runTellAll, signalRing, twoSignals } from './support/kernels.ts';
import { tracedRun } from './support/traced-run.ts';

/** Round numbers, each with a distinct digit. */
const trace: SimTraceOptions = {
  launchLatency: 1_000_000,
  stepTime: 0,
  fenceTime: 0,
  memory: { latency: 3, cachedLatency: 3 },
  network: { latency: 20_000, bandwidth: 10, messageTime: 100 },
};

function waits(timeline: Timeline, rank: number): readonly Slice[] {
  return tracksOf(timeline)
    .filter((track) => track.rank === rank)
    .flatMap(({ slices }) => slices)
    .filter(({ category }) => category === 'wait');
}

function sameTimes(timelines: readonly Timeline[]): void {
  const [first, ...rest] = timelines.map(times);
  for (const other of rest) expect(other).toEqual(first);
}

/** Removes the order in which tracks and flows were created, which depends on the schedule. */
function times({ processes, flows, end }: Timeline): unknown {
  const names = new Map(processes.flatMap(({ rank, tracks }) => tracks.map(({ id, name }) => [id, `${rank} ${name}`])));
  const slices = processes.flatMap(({ tracks }) =>
    tracks.map((track) => [
      names.get(track.id),
      track.slices.map(({ name, category, start, end: until, depth }) => [name, category, start, until, depth]),
    ]),
  );
  const arrows = flows.map(({ name, from, to }) =>
    [name, names.get(from.track), from.time, names.get(to.track), to.time].join(),
  );
  return { slices, arrows: arrows.toSorted(), end };
}

async function put(bytes: number, more: SimTraceOptions = {}): Promise<Timeline> {
  const { timeline } = await tracedRun({ ranks: 2, lsaSize: 1, trace: { ...trace, ...more } }, async (comm) => {
    const win = await comm.allocWindow('u8', bytes);
    const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
    await comm.launch(onePut, { grid: 1, block: 1 }, { comm: dev, win, n: bytes });
    await comm.synchronize();
  });
  return timeline;
}

// The slow tests compare other programs alone.
describe.for(inject('slow') ? [] : [0])('costs in simulated time', () => {
  it.each([8, 1000, 1 << 20])(
    'of a put of %i bytes: its message, its bytes, the latency, and the poll',
    async (bytes) => {
      const timeline = await put(bytes);
      expect(waits(timeline, 1)).toMatchObject([
        { name: 'net.waitSignal', start: 1_000_000, end: 1_000_000 + 100 + bytes / 10 + 20_000 + 3 },
      ]);
      expect(timeline.flows.map(({ name }) => name).toSorted()).toEqual(['post', 'signal']);
    },
  );

  it('of a put stand at its source line', async () => {
    const slices = tracksOf(await put(8)).flatMap((track) => track.slices);
    const posted = slices.find(({ category }) => category === 'put');
    expect(posted?.args).toMatchObject({ at: expect.stringMatching(/^kernels\.ts:\d+/), peer: 1, bytes: 8 });
  });

  it('of a wait end with the awaited signal, whatever arrived before', async () => {
    for (let seed = 0; seed < 8; seed++) {
      const options = { ranks: 2, lsaSize: 1, seed, gin: { delivery: 'prompt' }, trace } as const;
      const { timeline } = await tracedRun(options, async (comm) => {
        const win = await comm.allocWindow('u8', 4096);
        const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
        await comm.launch(twoSignals, { grid: 1, block: 1 }, { comm: dev, win, n: 4096 });
        await comm.synchronize();
      });
      expect(waits(timeline, 1)).toMatchObject([{ end: 1_000_000 + 100 + 20_000 + 3 }]);
    }
  });

  it('of a ring of signals add up', async () => {
    const ranks = 5;
    const { timeline } = await tracedRun({ ranks, lsaSize: 1, trace }, async (comm) => {
      const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
      await comm.launch(signalRing, { grid: 1, block: 32 }, { comm: dev });
      await comm.synchronize();
    });
    for (let rank = 1; rank < ranks; rank++) {
      expect(waits(timeline, rank)).toMatchObject([{ end: 1_000_000 + rank * (100 + 20_000 + 3) }]);
    }
  });

  it('of a slower network make a longer timeline', async () => {
    const fast = await put(4096);
    for (const network of [{ latency: 40_000 }, { bandwidth: 1 }, { messageTime: 1000 }]) {
      expect((await put(4096, { network: { ...trace.network, ...network } })).end).toBeGreaterThan(fast.end);
    }
  });
});

/** With NCCLTS_EVERY_CASE set, five seeds for each order of delivery. */
const seeds = inject('everyCase') ? 5 : 2;

const programs: readonly (readonly [
  string,
  Omit<SimOptions, 'seed' | 'gin'>,
  (comm: Communicator) => Promise<unknown>,
])[] = [
  ['an all-to-all', { ranks: 4, lsaSize: 1 }, async (comm) => runAllToAll(comm, 100)],
  ['hybrid barriers', { ranks: 8, lsaSize: 4 }, async (comm) => runTellAll(comm)],
  ['LSA barriers', { ranks: 4 }, async (comm) => runTellAll(comm)],
];

describe('simulated time does not depend on the schedule', () => {
  it.each(programs.filter((row) => (row[0] === 'LSA barriers') !== inject('slow')))(
    'the simulated time of program %s does not depend on the schedule',
    async (_name, options, program) => {
      const timelines: Timeline[] = [];
      const untraced = await tracedRun({ ...options, trace: true }, program);
      for (const delivery of ['prompt', 'random', 'late'] as const) {
        for (let seed = 0; seed < seeds; seed++) {
          const { timeline, results } = await tracedRun({ ...options, seed, gin: { delivery } }, program);
          expect(results).toEqual(untraced.results);
          expect(checkChromeTrace(chromeTrace(timeline))).toEqual([]);
          timelines.push(timeline);
        }
      }
      sameTimes(timelines);
    },
  );
});

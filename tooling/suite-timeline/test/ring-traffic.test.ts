import { allGather, allReduce, broadcast, reduceScatter } from '@nccl-ts/collectives';
import { sim, type SimWorld } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { RedOp, type SliceBegin, type TimelineRecorder } from '@nccl-ts/core';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Only bytes to peers take time: one nanosecond each. */
const trace = {
  launchLatency: 0,
  stepTime: 0,
  syncTime: 0,
  fenceTime: 0,
  ctaBandwidth: 1e9,
  memory: { latency: 0, cachedLatency: 0, bandwidth: 1e9, ctaBandwidth: 1e9 },
  nvlink: { latency: 0, bandwidth: 1 },
};

/** The bytes that each rank stores to peers or loads from them. */
async function traffic(ranks: number, run: (comm: Communicator) => Promise<void>): Promise<readonly number[]> {
  const backend = sim({ ranks, trace });
  let opened: SimWorld | undefined;
  const open = async (how: Parameters<typeof backend.open>[0]): Promise<SimWorld> => {
    opened = await backend.open(how);
    return opened;
  };
  await using world = await World.open({ backend: { ...backend, open } });
  await world.run(run);
  const busy = new ComputeTime(ranks);
  opened?.timeline(busy);
  return busy.byRank.map((time) => Math.round(time));
}

/** Adds up the time in which each rank computes, loads and stores, and ignores everything else. */
class ComputeTime implements TimelineRecorder {
  readonly byRank: number[];
  readonly #rankOf: number[] = [];

  constructor(ranks: number) {
    this.byRank = Array.from({ length: ranks }, () => 0);
  }

  openTrack(rank: number): number {
    return this.#rankOf.push(rank) - 1;
  }

  slice(track: number, { category, start, end }: SliceBegin & { readonly end: number }): void {
    const rank = this.#rankOf[track];
    const before = rank === undefined ? undefined : this.byRank[rank];
    if (rank !== undefined && before !== undefined && category === 'compute') this.byRank[rank] = before + end - start;
  }

  flow(): number {
    return 0;
  }

  openProcess(): void {}
  begin(): void {}
  end(): void {}
  finish(): void {}
  drop(): void {}
  cut(): void {}

  build(): ReturnType<TimelineRecorder['build']> {
    return { processes: [], flows: [], start: 0, end: 0 };
  }
}

/** The number of elements in a slot. */
const slot = 4096;
/** The bytes that signal to a rank that a part has arrived or is no longer needed. */
const flag = 4;

describe.each([3, 8].filter((ranks) => ranks === 3 || inject('slow')))('on %i ranks in a ring', (p) => {
  // More than the slots of the ring hold, in chunks that do not divide evenly.
  const count = p * 9000;
  const bytes = 4 * count;
  const options = { algorithm: 'ring' } as const;

  it('an AllReduce of K bytes sends 2 (p - 1) K / p from each rank', async () => {
    const sent = await traffic(p, async (comm) => {
      const [send, recv] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', count)];
      await allReduce(comm, send, recv, count, RedOp.Sum, options);
    });
    const flags = 2 * flag * 2 * (p - 1) * Math.ceil(count / (p * slot));
    // Chunks are whole lines, so some rank may have more of the last ones; the total is exact.
    expect(sent.reduce((a, b) => a + b - flags, 0)).toBe(2 * (p - 1) * bytes);
    for (const one of sent) expect(Math.abs(one - flags - (2 * (p - 1) * bytes) / p)).toBeLessThanOrEqual(16 * 2 * p);
  });

  it.for(slow)('a ReduceScatter and an AllGather send half of that, exactly', async () => {
    const each = count / p;
    const flags = 2 * flag * (p - 1) * Math.ceil(each / slot);
    const scattered = await traffic(p, async (comm) => {
      const [send, recv] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', each)];
      await reduceScatter(comm, send, recv, each, RedOp.Sum, options);
    });
    expect(scattered).toEqual(Array.from({ length: p }, () => ((p - 1) * bytes) / p + flags));
    const gathered = await traffic(p, async (comm) => {
      const [send, recv] = [await comm.allocWindow('f32', each), await comm.allocWindow('f32', count)];
      await allGather(comm, send, recv, each, options);
    });
    expect(gathered).toEqual(scattered);
  });

  it.for(slow)('a Broadcast sends K from each rank except the last', async () => {
    const sent = await traffic(p, async (comm) => {
      const window = await comm.allocWindow('f32', count);
      await broadcast(comm, window, window, count, 0, options);
    });
    const flags = flag * Math.ceil(count / slot);
    const wanted = (rank: number): number => (rank < p - 1 ? bytes + flags : 0) + (rank > 0 ? flags : 0);
    expect(sent).toEqual(Array.from({ length: p }, (_, rank) => wanted(rank)));
  });
});

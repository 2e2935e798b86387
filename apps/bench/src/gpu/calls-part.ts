import { cuda, type CudaWorld } from '@nccl-ts/backend-cuda';
import { allReduce } from '@nccl-ts/collectives';
import { winGetUserPtr, World, type Communicator, type Graph, type Window } from '@nccl-ts/communicator';
import { DataType, medianOf, RedOp } from '@nccl-ts/core';
import type { StreamHandle } from '@nccl-ts/transport';
import { note, round } from './bench-setup.ts';

/*
 * AllReduce outside graphs: microseconds of a call for all ranks of this process, from the first
 * of many calls until all have ended. As calls, as a graph of one call, and by NCCL in the same
 * process, in turn within each round.
 */

const sizes = [1 << 10, 64 << 10];
const calls = 2000;
const waitedCalls = 200;
const rounds = 11;
const warmup = 2;
/** The number of calls that are timed one by one after a world is opened. */
const firstCalls = 12;

interface CommBuffers {
  readonly comm: Communicator;
  readonly send: Window<'f32'>;
  readonly recv: Window<'f32'>;
}

/** The ranks of one world, and their buffers. */
interface WorldBuffers extends AsyncDisposable {
  readonly cuda: CudaWorld;
  readonly world: World;
  readonly buffers: readonly CommBuffers[];
}

async function openLane(elements: number): Promise<WorldBuffers> {
  let opened: CudaWorld | undefined;
  const backend = cuda();
  const world = await World.open({
    backend: { ...backend, open: async (options) => (opened = await backend.open(options)) },
  });
  if (opened === undefined) throw new Error('the backend could not be opened');
  const perRank = await world.run(async (comm): Promise<CommBuffers> => {
    const send = await comm.allocWindow('f32', elements);
    await send.write(new Float32Array(elements).fill(comm.rank + 1));
    return { comm, send, recv: await comm.allocWindow('f32', elements) };
  });
  return { cuda: opened, world, buffers: perRank, [Symbol.asyncDispose]: async () => world[Symbol.asyncDispose]() };
}

/** Makes the calls on all ranks, each at its own pace, and waits for their end. */
async function ours({ buffers: perRank }: WorldBuffers, count: number, times: number): Promise<void> {
  await Promise.all(
    perRank.map(async ({ comm, send, recv }) => {
      for (let i = 0; i < times; i++) await allReduce(comm, send, recv, count, RedOp.Sum);
      await comm.synchronize();
    }),
  );
}

async function oursWaiting({ buffers: perRank }: WorldBuffers, count: number, times: number): Promise<void> {
  await Promise.all(
    perRank.map(async ({ comm, send, recv }) => {
      for (let i = 0; i < times; i++) {
        await allReduce(comm, send, recv, count, RedOp.Sum);
        await comm.synchronize();
      }
    }),
  );
}

async function replays({ buffers: perRank }: WorldBuffers, graph: Graph, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await graph.launch();
  await Promise.all(perRank.map(async ({ comm }) => comm.synchronize()));
}

/** The number of elements of the result that differ from the sum. */
async function wrongElements({ buffers: perRank }: WorldBuffers, count: number): Promise<number> {
  const expected = (perRank.length * (perRank.length + 1)) / 2;
  const wrong = perRank.map(async ({ recv }) => {
    const sums = await recv.read();
    return sums.subarray(0, count).reduce((sum, value) => sum + (value === expected ? 0 : 1), 0);
  });
  return (await Promise.all(wrong)).reduce((sum, value) => sum + value, 0);
}

/** NCCL's AllReduce on the buffers of a lane, by communicators of `world`. */
function nccl(lane: WorldBuffers, world: CudaWorld, streams: readonly StreamHandle[]) {
  const parts = streams.map((stream, i) => {
    const buffers = lane.buffers[i];
    if (buffers === undefined) throw new Error('a rank has no buffers');
    const at = (window: Window): number => lane.cuda.memoryAddress(i, winGetUserPtr(window).address);
    return { send: at(buffers.send), recv: at(buffers.recv), stream };
  });
  const call = (count: number): void =>
    world.ncclCollective({ collective: 'allReduce', dataType: DataType.Float32, count, parts });
  const wait = async (): Promise<void> => {
    await Promise.all(streams.map(async (stream) => world.synchronize(stream)));
  };
  return {
    run: async (count: number, times: number): Promise<void> => {
      for (let i = 0; i < times; i++) call(count);
      await wait();
    },
    waiting: async (count: number, times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        call(count);
        await wait();
      }
    },
  };
}

interface CallVariant {
  readonly name: string;
  readonly calls: number;
  readonly run: () => Promise<void>;
}

/**
 * Microseconds per call, alternating between the variants. The first rounds are shown but not
 * counted.
 */
async function compare(bytes: number, ranks: number, variants: readonly CallVariant[]): Promise<void> {
  const took = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
  for (let i = 0; i < rounds + warmup; i++) {
    for (const { name, calls: times, run } of i % 2 === 0 ? variants : variants.toReversed()) {
      const started = performance.now();
      await run();
      took.get(name)?.push((1000 * (performance.now() - started)) / times);
    }
  }
  for (const { name, calls: times } of variants) {
    const all = took.get(name) ?? [];
    note({
      part: 'calls',
      name,
      bytes,
      ranks,
      calls: times,
      us: round(medianOf(all.slice(warmup))),
      all: all.map(round),
    });
  }
}

/** Milliseconds of each of the first calls of all ranks in a new world, until they have ended. */
async function noteFirstCalls(name: string): Promise<void> {
  await using lane = await openLane(256);
  const ms: number[] = [];
  for (let i = 0; i < firstCalls; i++) {
    const started = performance.now();
    await ours(lane, 256, 1);
    ms.push(round(performance.now() - started));
  }
  note({ part: 'calls', name: `first calls, ${name}`, bytes: 1024, ms });
}

/** The cost of AllReduce outside graphs. */
export async function callsPart(): Promise<void> {
  // The first world compiles the kernels, and the next one finds them in the cache.
  await noteFirstCalls('kernels perhaps not compiled');
  await noteFirstCalls('kernels compiled');
  const elements = Math.max(...sizes) / 4;
  await using lane = await openLane(elements);
  const { cuda: world } = lane;
  const ranks = world.localRanks.length;
  const other = await cuda().open({ onStall: () => undefined });
  try {
    const streamsOf = async (of: CudaWorld): Promise<readonly StreamHandle[]> =>
      Promise.all(of.localRanks.map(async (rank) => of.createStream(rank)));
    const plain = nccl(lane, other, await streamsOf(other));
    const symmetric = nccl(lane, world, await streamsOf(world));
    for (const bytes of sizes) {
      const count = bytes / 4;
      const graph = await lane.world.capture(async (comm) => {
        const buffers = lane.buffers[comm.rank];
        if (buffers !== undefined) await allReduce(comm, buffers.send, buffers.recv, count, RedOp.Sum);
      });
      await compare(bytes, ranks, [
        { name: 'own calls', calls, run: async () => ours(lane, count, calls) },
        { name: 'graph of one call', calls, run: async () => replays(lane, graph, calls) },
        { name: 'NCCL', calls, run: async () => plain.run(count, calls) },
        { name: 'NCCL, symmetric windows', calls, run: async () => symmetric.run(count, calls) },
      ]);
      await compare(bytes, ranks, [
        { name: 'each waits, own calls', calls: waitedCalls, run: async () => oursWaiting(lane, count, waitedCalls) },
        { name: 'each waits, NCCL', calls: waitedCalls, run: async () => plain.waiting(count, waitedCalls) },
      ]);
      await graph.close();
      for (const { recv } of lane.buffers) await recv.write(new Float32Array(elements));
      await ours(lane, count, 20);
      note({ part: 'calls', name: 'wrong elements', bytes, wrong: await wrongElements(lane, count) });
    }
  } finally {
    await other[Symbol.asyncDispose]();
  }
}

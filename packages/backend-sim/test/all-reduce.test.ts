import { sim, DeadlockError, type SimWorld } from '@nccl-ts/backend-sim';
import { isNcclError } from '@nccl-ts/core';
import { devComm, planDevComm, window } from '@nccl-ts/devcomm';
import { validate } from '@nccl-ts/ir';
import { addr, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { KernelArg, StreamHandle } from '@nccl-ts/transport';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const allReduce = kernel(
  { name: 'allReduce', use: { lsa }, params: { comm: devComm, win: window, offset: addr, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, offset, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const globalTid = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
    const globalNthreads = blockDim.x * gridDim.x * nRanks;

    for (let o = globalTid; o < count; o += globalNthreads) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, offset, peer).load(o);
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, offset, peer).store(o, v);
    }
    bar.sync(coopCta(), 'release');
  },
);

const COUNT = 10_000;

/**
 * A world with a launch of the kernel on each of `ranks`. `count` is the argument from which the
 * kernel reads its number of elements.
 */
async function launched(
  options: { readonly ranks: number; readonly lsaSize?: number; readonly seed?: number },
  ranks: readonly number[],
  count: number = COUNT,
): Promise<{
  readonly world: SimWorld;
  readonly streams: readonly StreamHandle[];
  readonly sums: () => Promise<Float32Array[]>;
}> {
  const backend = sim(options);
  const world = await backend.open({ onStall: () => {} });
  const buffers = await Promise.all(world.localRanks.map((rank) => world.alloc(rank, COUNT * 4)));
  for (const buffer of buffers) {
    await world.write(
      buffer,
      Float32Array.from({ length: COUNT }, (_, i) => i + 1000 * buffer.rank),
      0,
    );
  }
  const parts = buffers.map((buffer) => ({ buffer, offset: 0 }));
  const win = await world.registerWindow(parts, COUNT * 4, 1);
  const plan = planDevComm({ lsaBarrierCount: 4 }, world.topology, { symmetric: true, multimem: false, gin: 'none' });
  const comm = await world.createDevComm(plan);
  const result = validate(allReduce.compile(), backend.capabilities);
  if (!result.ok) throw new Error('the kernel is not valid');
  const executable = await world.compile(result.module);
  const streams = await Promise.all(world.localRanks.map((rank) => world.createStream(rank)));
  const args: KernelArg[] = [
    { kind: 'devComm', devComm: comm },
    { kind: 'window', window: win },
    { kind: 'scalar', value: 0 },
    { kind: 'scalar', value: count },
  ];
  for (const rank of ranks) {
    const stream = streams[rank];
    if (stream === undefined) throw new Error('no stream');
    world.launch(executable, { grid: { x: 4, y: 1, z: 1 }, block: { x: 64, y: 1, z: 1 }, stream }, args);
  }
  const sums = (): Promise<Float32Array[]> =>
    Promise.all(
      buffers.map(async (buffer) => {
        const sum = new Float32Array(COUNT);
        await world.read(buffer, sum, 0);
        return sum;
      }),
    );
  return { world, streams, sums };
}

describe('an all-reduce over LSA pointers', () => {
  it('computes the right sums in every LSA team with every seed, and repeats exactly with the same seed', async () => {
    const hashes: number[] = [];
    for (const seed of [1, 2, 1]) {
      const { world, streams, sums } = await launched({ ranks: 8, lsaSize: 4, seed }, [0, 1, 2, 3, 4, 5, 6, 7]);
      for (const stream of streams) expect((await world.synchronize(stream)).launches).toBe(1);
      const expected = (first: number): Float32Array =>
        Float32Array.from({ length: COUNT }, (_, i) => 4 * i + 1000 * (4 * first + 6));
      const actual = await sums();
      actual.forEach((sum, rank) => expect(sum).toEqual(expected(rank < 4 ? 0 : 4)));
      hashes.push(world.eventHash);
      await world[Symbol.asyncDispose]();
    }
    expect(hashes[2]).toBe(hashes[0]);
    expect(hashes[1]).not.toBe(hashes[0]);
  });

  it.for(slow)('with a missing rank is a deadlock that names the rank', async () => {
    const { world, streams } = await launched({ ranks: 4 }, [0, 1, 3]);
    for (const rank of world.localRanks) world.setHostState(rank, rank === 2 ? 'done' : 'waiting');
    const [stream] = streams;
    if (stream === undefined) throw new Error('no stream');
    const error: unknown = await world.synchronize(stream).catch((thrown: unknown) => thrown);
    if (!(error instanceof DeadlockError)) throw error;
    expect(error.report.missing).toEqual([{ rank: 2, reason: 'neverLaunched', host: 'done', awaitedBy: [0, 1, 3] }]);
    expect(error.message).toContain('ranks 0-1, 3, CTAs 0-3, threads 0-63');
    // The line of the kernel, not the one in the library.
    expect(error.message).toMatch(/bar\.sync\(coopCta\(\), ["']acquire["']\)/);
    expect(error.message).toContain(
      'LSA barriers 0-3, inbox of LSA peer 2 (rank 2): waits for 1 (rolling, 32 bits), is 0 (u32)',
    );
    expect(error.message).toContain('missing: rank 2: no kernel launched; host program done; awaited by ranks 0-1, 3');
  });

  it('with one element too many is out of bounds', async () => {
    const { world, streams } = await launched({ ranks: 2 }, [0, 1], COUNT + 1);
    const errors = await Promise.all(
      streams.map((stream, rank) => {
        world.setHostState(rank, 'waiting');
        return world.synchronize(stream).then(
          () => undefined,
          (thrown: unknown) => {
            world.setHostState(rank, 'done');
            return thrown;
          },
        );
      }),
    );
    const fault = errors.find((error) => isNcclError(error, 'NCCLTS_OUT_OF_BOUNDS'));
    expect(String(fault)).toContain(
      `load of 4 bytes out of bounds: byte ${COUNT * 4} of window 0 (${COUNT * 4} bytes), rank 0's copy`,
    );
  });
});

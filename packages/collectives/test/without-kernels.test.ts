import { DeadlockError, sim } from '@nccl-ts/backend-sim';
import { allGather, allReduce, allToAll, broadcast, gather, reduceScatter } from '@nccl-ts/collectives';
import { World, type Communicator } from '@nccl-ts/communicator';
import { isNcclError, RedOp } from '@nccl-ts/core';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { window } from '@nccl-ts/devcomm';
import { expect, inject, test } from 'vitest';

/**
 * Runs `callback` for each rank in a world whose collectives run without kernels, on this many
 * threads.
 */
async function inWorld<T>(
  ranks: number,
  callback: (comm: Communicator) => Promise<T>,
  workers: 1 | 2 = 1,
): Promise<readonly T[]> {
  await using world = await World.open({ backend: sim({ ranks, engine: 'wasm', workers }) });
  return await world.run(callback);
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const values = (rank: number, count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(i + 31 * rank));

test.each(([1, 2] as const).filter((workers) => workers === 1 || inject('slow')))(
  'collectives without kernels run one after the other, in place and out of place, on %i threads',
  async (workers) => {
    const count = inject('slow') ? 1 << 20 : 1 << 17;
    const results = await inWorld(
      3,
      async (comm) => {
        const [a, b] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', count)];
        await a.write(values(comm.rank, count));
        await allReduce(comm, a, b, count, RedOp.Sum);
        for (let i = 0; i < 20; i++) await allReduce(comm, b, b, count, RedOp.Avg);
        return b.read();
      },
      workers,
    );
    const parts = [0, 1, 2].map((rank) => values(rank, count));
    const sum = (i: number): number => parts.map((part) => part[i] ?? 0).reduce((x, y) => Math.fround(x + y));
    const average = (x: number): number => Math.fround(Math.fround(Math.fround(x + x) + x) / 3);
    for (const got of results) {
      for (let i = 0; i < count; i += 997) {
        let want = sum(i);
        for (let k = 0; k < 20; k++) want = average(want);
        expect(got[i]).toBe(want);
      }
    }
  },
);

test('collectives without kernels name a rank that takes no part', async () => {
  const error = await failure(
    inWorld(4, async (comm) => {
      const win = await comm.allocWindow('f32', 64);
      await allReduce(comm, win, win, 64, RedOp.Sum);
      await comm.synchronize();
      if (comm.rank !== 2) await allReduce(comm, win, win, 64, RedOp.Sum);
      await comm.synchronize();
    }),
  );
  expect(error).toBeInstanceOf(DeadlockError);
  expect(String(error)).toContain('rank 2 to begin it as well');
});

test('collectives without kernels name different calls if a graph prevents their comparison', async () => {
  const error = await failure(
    inWorld(2, async (comm) => {
      const win = await comm.allocWindow('f32', 64);
      await (await comm.defaultStream.capture(async () => allReduce(comm, win, win, 64, RedOp.Sum))).close();
      await allReduce(comm, win, win, comm.rank === 0 ? 64 : 32, RedOp.Sum);
      await comm.synchronize();
    }),
  );
  expect(isNcclError(error) && error.code).toBe('NCCL_INVALID_USAGE');
  expect(String(error)).toContain('allReduce of 32 f32 by sum');
  expect(String(error)).toContain('allReduce of 64 f32 by sum');
});

const increment = kernel(
  { name: 'increment', use: { lsa }, params: { win: window, count: u32 } },
  ({ lsa, threadIdx, f32 }, { win, count }) => {
    const p = lsa.pointer(win, f32, 0, win.lsaRank);
    if (threadIdx.x < count) p[threadIdx.x] = p.load(threadIdx.x) + 1;
  },
);

test.each(['collectives', 'kernels too'])('a graph of %s gives the results of its launches', async (what) => {
  const ranks = 4;
  const count = 48;
  const record = async (
    comm: Communicator,
    { a, b, c }: Record<'a' | 'b' | 'c', Awaited<ReturnType<typeof windowsOf>>['a']>,
  ) => {
    for (let i = 0; i < 3; i++) await allReduce(comm, a, a, count, RedOp.Sum);
    await allGather(comm, a.symPtr(comm.rank * 4 * 12), b, 12);
    if (what !== 'collectives') await comm.launch(increment, { grid: 1, block: 32 }, { win: b, count: 7 });
    await reduceScatter(comm, b, c, 12, RedOp.Max);
    await allToAll(comm, b, a, 12);
    await broadcast(comm, a, a, count, 1);
    await gather(comm, c, b, 12, 3);
  };
  const windowsOf = async (comm: Communicator) => {
    const [a, b, c] = [
      await comm.allocWindow('f32', count),
      await comm.allocWindow('f32', count),
      await comm.allocWindow('f32', 12),
    ];
    await a.write(values(comm.rank, count));
    return { a, b, c };
  };
  const read = async (windows: Awaited<ReturnType<typeof windowsOf>>) => [
    await windows.a.read(),
    await windows.b.read(),
    await windows.c.read(),
  ];
  const singly = await inWorld(ranks, async (comm) => {
    const windows = await windowsOf(comm);
    await record(comm, windows);
    await record(comm, windows);
    return read(windows);
  });
  await using world = await World.open({ backend: sim({ ranks, engine: 'wasm' }) });
  const windows = await world.run(windowsOf);
  const graph = await world.capture(async (comm) => {
    const own = windows[comm.rank];
    if (own !== undefined) await record(comm, own);
  });
  await graph.launch();
  await graph.launch();
  const captured = await world.run(async (comm) => {
    await comm.synchronize();
    const own = windows[comm.rank];
    return own === undefined ? [] : read(own);
  });
  expect(captured).toEqual(singly);
});

test('collectives without kernels run on disjoint parts of a world', async () => {
  const results = await inWorld(6, async (comm) => {
    const part = await comm.split(comm.rank % 2, comm.rank);
    if (part === undefined || part === null) return [];
    const win = await part.allocWindow('f32', 4);
    await win.write(new Float32Array(4).fill(comm.rank + 1));
    for (let i = 0; i <= comm.rank % 2; i++) await allReduce(part, win, win, 4, RedOp.Sum);
    return [...(await win.read())];
  });
  expect(results).toEqual([0, 1, 2, 3, 4, 5].map((rank) => Array.from({ length: 4 }, () => (rank % 2 === 0 ? 9 : 36))));
});

test('collectives without kernels run on two streams of each rank', async () => {
  const results = await inWorld(2, async (comm) => {
    const [a, b] = [await comm.allocWindow('f32', 8), await comm.allocWindow('f32', 8)];
    await a.write(new Float32Array(8).fill(1));
    await b.write(new Float32Array(8).fill(10));
    const stream = await comm.createStream();
    for (let i = 0; i < 3; i++) {
      await allReduce(comm, a, a, 8, RedOp.Sum);
      await allReduce(comm, b, b, 8, RedOp.Sum, { stream });
    }
    await stream.synchronize();
    await comm.synchronize();
    return [(await a.read())[7], (await b.read())[0]];
  });
  expect(results).toEqual([
    [8, 80],
    [8, 80],
  ]);
});

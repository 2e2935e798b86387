import { DeadlockError, sim, type SimOptions } from '@nccl-ts/backend-sim';
import { getLsaMultimemDevicePointer, getPeerDevicePointer, World, type Communicator } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { f32, kernel, ptr, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import { expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const CTAS = 2;
const COUNT = 100;

/** Sums over the LSA team. If `beyond` is not 0, it also reads past the last element. */
const sumLsa = kernel(
  { name: 'sumLsa', use: { lsa }, params: { comm: devComm, win: window, count: u32, beyond: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count, beyond }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'relaxed');
    const thread = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * comm.lsaSize);
    for (let i = thread; i < count; i += blockDim.x * gridDim.x * comm.lsaSize) {
      let v = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) v += lsa.pointer(win, f32, 0, peer).load(i + beyond);
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(win, f32, 0, peer).store(i, v);
    }
    bar.sync(coopCta(), 'release');
  },
);

/** Every rank puts its number to its location at every rank, through the network. */
const tellAll = kernel(
  { name: 'tellAll', use: { gin, teamWorld }, params: { comm: devComm, send: window, recv: window } },
  ({ gin, teamWorld, coopCta, threadIdx, blockDim }, { comm, send, recv }) => {
    const net = gin.context(comm, 0);
    const before = net.readSignal(0);
    gin.barrierSession(coopCta(), net, 'world', 0).sync(coopCta(), 'acquire', 'none');
    for (let peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) {
      net.put(teamWorld(comm), peer, recv, comm.rank * 4, send, 0, 4, gin.weakSignalInc(0));
    }
    net.waitSignal(coopCta(), 0, before + comm.nRanks);
    net.flush(coopCta());
  },
);

const sumSwitch = kernel(
  { name: 'sumSwitch', use: { multimem, lsa }, params: { comm: devComm, from: ptr(f32), win: window } },
  ({ multimem, lsa, coopCta, threadIdx, f32 }, { comm, from, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'relaxed');
    if (threadIdx.x === 0) lsa.localPointer(win, f32, 4).store(0, multimem.loadReduce(from));
    bar.sync(coopCta(), 'release');
  },
);

async function open(options: SimOptions): Promise<World> {
  return World.open({ backend: sim(options) });
}

/** Returns the sums of the world ranks' numbers on this communicator. */
async function summed(comm: Communicator, value: number): Promise<number> {
  const win = await comm.allocWindow(f32, COUNT);
  await win.write(new Float32Array(COUNT).fill(value));
  const dev = await comm.createDevComm({ lsaBarrierCount: CTAS });
  await comm.launch(sumLsa, { grid: CTAS, block: 32 }, { comm: dev, win, count: COUNT, beyond: 0 });
  const sums = new Set(await win.read());
  expect(sums.size).toBe(1);
  return [...sums][0] ?? Number.NaN;
}

it.each([
  ['every other rank', { ranks: 6 }, [0, 1, 0, 1, 0, 1], [6, 9, 6, 9, 6, 9], [3, 3]],
  ['halves of two domains', { ranks: 8, lsaSize: 4 }, [0, 0, 1, 1, 0, 0, 1, 1], [1, 1, 5, 5, 9, 9, 13, 13], [2, 2]],
  ['domains that do not fit', { ranks: 6, lsaSize: 3 }, [0, 0, 0, 0, 1, 1], [0, 1, 2, 3, 9, 9], [1, 2]],
] as const)('kernels sum over %s', async (_what, options, colors, expected, lsaSizes) => {
  await using world = await open({ ...options, mode: 'check' });
  const sums = await world.run(async (comm) => {
    const half = await comm.split(colors[comm.rank] ?? 0);
    expect(half.lsaSize).toBe(lsaSizes[colors[comm.rank] ?? 0]);
    expect(half.properties).toMatchObject({ rank: half.rank, nRanks: half.nRanks });
    return summed(half, comm.rank);
  });
  expect(sums).toEqual(expected);
});

it.for(slow)('keys order the ranks, for the network too', async () => {
  await using world = await open({ ranks: 5, lsaSize: 1, mode: 'check' });
  const told = await world.run(async (comm) => {
    const others = await comm.split(comm.rank === 2 ? null : 7, -comm.rank);
    if (others === null) return comm.rank;
    const send = await others.allocWindow(f32, 1);
    const recv = await others.allocWindow(f32, others.nRanks);
    await send.write([comm.rank]);
    const requirements = { ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1 } as const;
    const dev = await others.createDevComm(requirements);
    await others.launch(tellAll, { grid: 1, block: 32 }, { comm: dev, send, recv });
    return [others.rank, ...(await recv.read())];
  });
  expect(told).toEqual([[3, 4, 3, 1, 0], [2, 4, 3, 1, 0], 2, [1, 4, 3, 1, 0], [0, 4, 3, 1, 0]]);
});

it('data that a signal covers is visible at its destination, even without an acquire', async () => {
  const tellQuietly = kernel(
    { name: 'tellQuietly', use: { gin, teamWorld }, params: { comm: devComm, send: window, recv: window } },
    ({ gin, teamWorld, coopCta, threadIdx }, { comm, send, recv }) => {
      const net = gin.context(comm, 0);
      const next = (comm.rank + 1) % comm.nRanks;
      if (threadIdx.x === 0) net.put(teamWorld(comm), next, recv, 0, send, 0, 4, gin.weakSignalInc(0));
      net.waitSignal(coopCta(), 0, 1, { order: 'relaxed' });
    },
  );
  await using world = await open({ ranks: 4, lsaSize: 1, gin: { delivery: 'late' } });
  const got = await world.run(async (comm) => {
    const pair = await comm.split(comm.rank < 2 ? null : 0);
    if (pair === null) return undefined;
    const send = await pair.allocWindow(f32, 1);
    const recv = await pair.allocWindow(f32, 1);
    await send.write([comm.rank + 1]);
    const dev = await pair.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
    await pair.launch(tellQuietly, { grid: 1, block: 32 }, { comm: dev, send, recv });
    return (await recv.read())[0];
  });
  expect(got).toEqual([undefined, undefined, 4, 3]);
});

it.for(slow)('switch memory reaches the ranks of the communicator', async () => {
  await using world = await open({ ranks: 4, multimem: true });
  const sums = await world.run(async (comm) => {
    const three = await comm.split(comm.rank === 1 ? 1 : 0);
    const win = await three.allocWindow(f32, 2);
    await win.write([2 ** comm.rank, 0]);
    const dev = await three.createDevComm({ lsaBarrierCount: 1, lsaMultimem: true });
    const from = getLsaMultimemDevicePointer(win, 0);
    if (from === null) throw new Error('no multicast');
    await three.launch(sumSwitch, { grid: 1, block: 32 }, { comm: dev, from, win });
    return (await win.read())[1];
  });
  expect(sums).toEqual([13, 2, 13, 13]);
});

it('memory may have windows of two communicators, and a launch takes those of its own', async () => {
  await using world = await open({ ranks: 4 });
  const both = kernel(
    { name: 'both', use: { lsa }, params: { all: devComm, some: devComm, win: window } },
    ({ lsa, threadIdx, i32 }, { all, some, win }) => {
      if (threadIdx.x !== 0) return;
      lsa.localPointer(win, i32, 0).store(0, all.nRanks * 100 + some.nRanks * 10 + some.rank);
    },
  );
  const seen = await world.run(async (comm) => {
    const pair = await comm.split(comm.rank % 2);
    const memory = await comm.memAlloc(4096);
    const ours = await pair.registerWindow(memory, { type: 'i32' });
    const win = await comm.registerWindow(memory, { type: 'i32' });
    if (win === null || ours === null) throw new Error('no window');
    expect(getPeerDevicePointer(ours, 0, 1)).not.toBeNull();
    const args = { all: await comm.createDevComm(), some: await pair.createDevComm(), win: ours };
    await expect(comm.launch(both, { grid: 1, block: 32 }, { ...args, some: args.all })).rejects.toThrow(
      `argument win: the window is rank ${pair.rank} of another communicator's`,
    );
    const odd = await comm.split(0);
    await expect(odd.launch(both, { grid: 1, block: 32 }, args)).rejects.toThrow(/is rank . of another communicator's/);
    return comm.rank;
  });
  expect(seen).toEqual([0, 1, 2, 3]);
});

it('a kernel sees the ranks of each device communicator', async () => {
  await using world = await open({ ranks: 4 });
  const sizes = kernel(
    { name: 'sizes', use: { lsa }, params: { comm: devComm, win: window } },
    ({ lsa, threadIdx, i32 }, { comm, win }) => {
      if (threadIdx.x === 0) lsa.localPointer(win, i32, 0).store(0, comm.nRanks * 10 + comm.rank);
    },
  );
  const seen = await world.run(async (comm) => {
    const results: number[] = [];
    for (const one of [comm, await comm.split(comm.rank % 2), await comm.split(comm.rank === 3 ? 1 : 0)]) {
      const win = await one.allocWindow('i32', 1);
      await one.launch(sizes, { grid: 1, block: 32 }, { comm: await one.createDevComm(), win });
      results.push(...(await win.read()));
    }
    return results;
  });
  expect(seen).toEqual([
    [40, 20, 30],
    [41, 20, 31],
    [42, 21, 32],
    [43, 21, 10],
  ]);
});

it.for(slow)('a deadlock names the ranks of the world', async () => {
  await using world = await open({ ranks: 4 });
  const run = world.run(async (comm) => {
    const odd = await comm.split(comm.rank % 2);
    const win = await odd.allocWindow(f32, COUNT);
    const dev = await odd.createDevComm({ lsaBarrierCount: CTAS });
    if (comm.rank === 3) return;
    await odd.launch(sumLsa, { grid: CTAS, block: 32 }, { comm: dev, win, count: COUNT, beyond: 0 });
    await odd.synchronize();
  });
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  if (!(error instanceof DeadlockError)) throw error;
  expect(error.message).toMatch(/inbox of LSA peer 1 \(rank 3\)/);
});

it.for(slow)('the other ranks continue after one has failed', async () => {
  await using world = await open({ ranks: 4 });
  let failed = (_rank: number): void => undefined;
  const whoFailed = new Promise<number>((resolve) => {
    failed = resolve;
  });
  const sums = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, COUNT);
    const dev = await comm.createDevComm({ lsaBarrierCount: CTAS });
    const beyond = comm.rank === 1 ? 10_000 : 0;
    await comm.launch(sumLsa, { grid: CTAS, block: 32 }, { comm: dev, win, count: COUNT, beyond });
    if (comm.rank === 1) {
      let error = comm.getAsyncError();
      while (error === null) {
        await new Promise((resolve) => setImmediate(resolve));
        error = comm.getAsyncError();
      }
      expect(error.code).toBe('NCCLTS_OUT_OF_BOUNDS');
      failed(comm.rank);
      await comm.abort();
      expect(comm.isOpen).toBe(false);
      await expect(comm.synchronize()).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
      return undefined;
    }
    const excluded = await whoFailed;
    const waiting = comm.synchronize().catch((thrown: unknown) => thrown);
    const survivors = await comm.shrink([excluded], { mode: 'abort' });
    expect(isNcclError(await waiting, 'NCCLTS_ABORTED')).toBe(true);
    expect(isNcclError(comm.getAsyncError(), 'NCCLTS_ABORTED')).toBe(true);
    await comm.close();
    expect(survivors.getAsyncError()).toBeNull();
    return [survivors.rank, survivors.nRanks, await summed(survivors, comm.rank)];
  });
  expect(sums).toEqual([[0, 3, 5], undefined, [1, 3, 5], [2, 3, 5]]);
});

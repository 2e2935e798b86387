import { webgpu, type WebgpuOptions } from '@nccl-ts/backend-webgpu';
import { getPeerDevicePointer, World, type Communicator } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { devComm, symPtr, window } from '@nccl-ts/devcomm';
import { DeadlockError } from '@nccl-ts/findings';
import { f32, i32, kernel, ptr, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterAll, describe, expect, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';

const CTAS = 2;
const COUNT = 100;

/** Sums over the LSA team. */
const sumLsa = kernel(
  { name: 'sumLsa', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'relaxed');
    const thread = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * comm.lsaSize);
    for (let i = thread; i < count; i += blockDim.x * gridDim.x * comm.lsaSize) {
      let v = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) v += lsa.pointer(win, f32, 0, peer).load(i);
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(win, f32, 0, peer).store(i, v);
    }
    bar.sync(coopCta(), 'release');
  },
);

/** Stores at a peer. */
const stray = kernel(
  { name: 'stray', use: { lsa }, params: { win: window, peer: u32 } },
  ({ lsa, threadIdx, f32 }, { win, peer }) => {
    if (threadIdx.x === 0) lsa.pointer(win, f32, 0, peer).store(0, 1);
  },
);

// All worlds share it, so that each reuses what others have compiled.
const acquired = noDevice === undefined ? await openDevice() : undefined;
afterAll(() => acquired?.dispose());

async function open(options: WebgpuOptions): Promise<World> {
  const device = acquired?.device;
  return World.open({ backend: webgpu({ ...options, ...(device !== undefined && { device }) }) });
}

/** Returns the sums of the world ranks' numbers on this communicator. */
async function summed(comm: Communicator, value: number): Promise<number> {
  const win = await comm.allocWindow(f32, COUNT);
  await win.write(new Float32Array(COUNT).fill(value));
  const dev = await comm.createDevComm({ lsaBarrierCount: CTAS });
  await comm.launch(sumLsa, { grid: CTAS, block: 32 }, { comm: dev, win, count: COUNT });
  const sums = new Set(await win.read());
  expect(sums.size).toBe(1);
  return [...sums][0] ?? Number.NaN;
}

describe.skipIf(acquired === undefined)(
  `communicators of some of the ranks${unlessDevice}`,
  { timeout: 60_000 },
  () => {
    it.each([
      ['every other rank', { ranks: 6 }, [0, 1, 0, 1, 0, 1], [6, 9, 6, 9, 6, 9], [3, 3]],
      ['halves of two domains', { ranks: 8, lsaSize: 4 }, [0, 0, 1, 1, 0, 0, 1, 1], [1, 1, 5, 5, 9, 9, 13, 13], [2, 2]],
      ['domains that do not fit', { ranks: 6, lsaSize: 3 }, [0, 0, 0, 0, 1, 1], [0, 1, 2, 3, 9, 9], [1, 2]],
    ] as const)('kernels sum over %s', async (_what, options, colors, expected, lsaSizes) => {
      await using world = await open(options);
      const sums = await world.run(async (comm) => {
        const half = await comm.split(colors[comm.rank] ?? 0);
        expect(half.lsaSize).toBe(lsaSizes[colors[comm.rank] ?? 0]);
        expect(half.properties).toMatchObject({ rank: half.rank, nRanks: half.nRanks });
        return summed(half, comm.rank);
      });
      expect(sums).toEqual(expected);
    });

    it("a kernel sees its device communicator's ranks, ordered by key", async () => {
      const numbers = kernel(
        { name: 'numbers', use: { lsa }, params: { comm: devComm, win: window, at: symPtr(i32) } },
        ({ lsa, threadIdx, i32 }, { comm, win, at }) => {
          if (threadIdx.x !== 0) return;
          const own = 10 * comm.nRanks + comm.rank;
          lsa.pointer(win, i32, 0, (comm.lsaRank + 1) % comm.lsaSize).store(0, own);
          at.peerPtr((comm.rank + 1) % comm.nRanks).store(0, own);
        },
      );
      await using world = await open({ ranks: 5 });
      const seen = await world.run(async (comm) => {
        const some = await comm.split(comm.rank === 1 ? 1 : 0, -comm.rank);
        const results: (number | undefined)[] = [];
        for (const one of [some, comm]) {
          const [win, at] = [await one.allocWindow(i32, 1), await one.allocWindow(i32, 1)];
          const args = { comm: await one.createDevComm(), win, at: at.symPtr() };
          await one.launch(numbers, { grid: 1, block: 32 }, args);
          await one.finalize();
          results.push((await win.read())[0], (await at.read())[0]);
        }
        return results;
      });
      // 4, 3, 2 and 0 follow one another, and 1 itself.
      expect(seen).toEqual([
        [42, 42, 54, 54],
        [10, 10, 50, 50],
        [41, 41, 51, 51],
        [40, 40, 52, 52],
        [43, 43, 53, 53],
      ]);
    });

    it('pointers reach the windows of the communicator, and ranks outside it get none', async () => {
      const fill = kernel({ name: 'fill', params: { to: ptr(f32), value: f32 } }, ({ threadIdx }, { to, value }) => {
        if (threadIdx.x === 0) to.store(0, value);
      });
      await using world = await open({ ranks: 4 });
      const got = await world.run(async (comm) => {
        const pair = await comm.split(comm.rank % 2);
        const win = await pair.allocWindow(f32, 2);
        const next = getPeerDevicePointer(win, 0, 1 - pair.rank);
        if (next === null) throw new Error('no pointer');
        await pair.launch(fill, { grid: 1, block: 32 }, { to: next, value: comm.rank + 1 });
        await pair.finalize();
        return (await win.read())[0];
      });
      expect(got).toEqual([3, 4, 1, 2]);
    });

    it('memory may have windows of two communicators, which are freed one after the other', async () => {
      await using world = await open({ ranks: 4 });
      const sums = await world.run(async (comm) => {
        const pair = await comm.split(comm.rank % 2);
        const memory = await comm.memAlloc(4096);
        const ours = await pair.registerWindow(memory, { type: f32 });
        const win = await comm.registerWindow(memory, { type: f32 });
        if (win === null || ours === null) throw new Error('no window');
        const [of, all] = [
          await pair.createDevComm({ lsaBarrierCount: 1 }),
          await comm.createDevComm({ lsaBarrierCount: 1 }),
        ];
        await win.write(new Float32Array(4).fill(comm.rank + 1));
        await pair.launch(sumLsa, { grid: 1, block: 32 }, { comm: of, win: ours, count: 4 });
        await pair.synchronize();
        const half = (await win.read())[3];
        await ours.deregister();
        await of.destroy();
        await comm.launch(sumLsa, { grid: 1, block: 32 }, { comm: all, win, count: 2 });
        return [half, ...(await win.read()).slice(0, 3)];
      });
      expect(sums).toEqual([
        [4, 20, 20, 4],
        [6, 20, 20, 6],
        [4, 20, 20, 4],
        [6, 20, 20, 6],
      ]);
    });

    it('an access to a peer outside the communicator is out of bounds, even if the peer is in the world', async () => {
      await using world = await open({ ranks: 4 });
      const run = world.run(async (comm) => {
        const pair = await comm.split(comm.rank % 2);
        const win = await pair.allocWindow(f32, 1);
        await pair.launch(stray, { grid: 1, block: 32 }, { win, peer: 2 });
      });
      const error: unknown = await run.catch((thrown: unknown) => thrown);
      expect(isNcclError(error) ? error.code : error).toMatch(/^NCCLTS_(OUT_OF_BOUNDS|FAULT)$/);
    });

    it('a deadlock names the ranks of the world', async () => {
      await using world = await open({ ranks: 4 });
      const run = world.run(async (comm) => {
        const odd = await comm.split(comm.rank % 2);
        const win = await odd.allocWindow(f32, COUNT);
        const dev = await odd.createDevComm({ lsaBarrierCount: CTAS });
        if (comm.rank === 3) return;
        await odd.launch(sumLsa, { grid: CTAS, block: 32 }, { comm: dev, win, count: COUNT });
        await odd.synchronize();
      });
      const error: unknown = await run.catch((thrown: unknown) => thrown);
      if (!(error instanceof DeadlockError)) throw error;
      expect(error.message).toMatch(/inbox of LSA peer 1 \(rank 3\)/);
    });

    it('the other ranks continue after one has failed', async () => {
      await using world = await open({ ranks: 4 });
      let failed = (_rank: number): void => undefined;
      const whoFailed = new Promise<number>((resolve) => {
        failed = resolve;
      });
      const sums = await world.run(async (comm) => {
        const win = await comm.allocWindow(f32, COUNT);
        const dev = await comm.createDevComm({ lsaBarrierCount: CTAS });
        const shape = { grid: CTAS, block: 32 } as const;
        if (comm.rank !== 1) await comm.launch(sumLsa, shape, { comm: dev, win, count: COUNT });
        else {
          // The others wait for it in their barrier.
          await comm.launch(stray, shape, { win, peer: 4 });
          let error = comm.getAsyncError();
          while (error === null) {
            await new Promise((resolve) => setImmediate(resolve));
            error = comm.getAsyncError();
          }
          failed(comm.rank);
          await comm.abort();
          return undefined;
        }
        const excluded = await whoFailed;
        const waiting = comm.synchronize().catch((thrown: unknown) => thrown);
        const survivors = await comm.shrink([excluded], { mode: 'abort' });
        expect(isNcclError(await waiting, 'NCCLTS_ABORTED')).toBe(true);
        await comm.close();
        return [survivors.rank, survivors.nRanks, await summed(survivors, comm.rank)];
      });
      expect(sums).toEqual([[0, 3, 5], undefined, [1, 3, 5], [2, 3, 5]]);
    });
  },
);

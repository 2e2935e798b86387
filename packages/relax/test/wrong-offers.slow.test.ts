import type { Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { relaxProgram } from '@nccl-ts/relax';
import { expect, test } from 'vitest';

const params = { comm: devComm, data: window, flags: window, out: window, count: u32 };

/** Reads the data of the left neighbour, and tells the right one alone. */
const passesOn = kernel(
  { name: 'passes_on', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, blockDim, waitUntil, u32 }, { comm, data, flags, out, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    const from = lsa.pointer(data, u32, 0, (comm.lsaRank + comm.lsaSize - 1) % comm.lsaSize);
    for (let i = threadIdx.x; i < count; i += blockDim.x) lsa.localPointer(out, u32, 0).store(i, from.load(i));
    coopCta().sync();
    if (threadIdx.x === 0) {
      lsa.pointer(flags, u32, 0, (comm.lsaRank + 1) % comm.lsaSize).store(0, 1, 'release', 'system');
      waitUntil(() => lsa.localPointer(flags, u32, 0).load(0, 'acquire', 'system') === 1);
    }
    coopCta().sync();
    bar.sync(coopCta(), 'acq_rel'); // last
  },
);

/** Its last barrier protects what the peers store in the next launch, and nothing else. */
const stores = kernel(
  { name: 'stores', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, blockDim, u32 }, { comm, data, out, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const to = lsa.pointer(data, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    for (let i = threadIdx.x; i < count; i += blockDim.x) to.store(i, i);
    bar.sync(coopCta(), 'acq_rel');
    const own = lsa.localPointer(data, u32, 0);
    for (let i = threadIdx.x; i < count; i += blockDim.x) lsa.localPointer(out, u32, 0).store(i, own.load(i));
    bar.sync(coopCta(), 'acq_rel'); // last
  },
);

/** The last tiles, which only a larger program has, are read after the second barrier. */
const tiles = kernel(
  { name: 'tiles', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, blockDim, u32 }, { comm, data, out, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    const from = lsa.pointer(data, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    const to = lsa.localPointer(out, u32, 0);
    to.store(threadIdx.x, from.load(threadIdx.x));
    bar.sync(coopCta(), 'acq_rel');
    for (let i = threadIdx.x + blockDim.x; i < count; i += blockDim.x) to.store(i, from.load(i));
    bar.sync(coopCta(), 'acq_rel'); // last
  },
);

/** Without the reset, the wait of a second launch passes on the signal of the first. */
const resets = kernel(
  { name: 'resets', use: { lsa, gin, teamWorld }, params },
  ({ lsa, gin, teamWorld, coopCta, threadIdx, blockDim, u32 }, { comm, data, flags, out, count }) => {
    const net = gin.context(comm, 0);
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    if (threadIdx.x === 0)
      net.put(teamWorld(comm), (comm.rank + 1) % comm.nRanks, data, 0, flags, 0, 4 * count, gin.weakSignalInc(0));
    net.waitSignal(coopCta(), 0, 1);
    if (threadIdx.x === 0) net.resetSignal(0); // last
    net.flush(coopCta());
    coopCta().sync();
    const own = lsa.localPointer(data, u32, 0);
    for (let i = threadIdx.x; i < count; i += blockDim.x) lsa.localPointer(out, u32, 0).store(i, own.load(i));
    bar.sync(coopCta(), 'acq_rel');
  },
);

const host =
  (one: typeof stores) =>
  async (comm: Communicator, { scale = 1 }: { readonly scale?: number }): Promise<void> => {
    const count = 64 * scale;
    const [data, flags, out] = [
      await comm.allocWindow('u32', count),
      await comm.allocWindow('u32', count),
      await comm.allocWindow('u32', count),
    ];
    for (const each of [data, flags, out]) await each.write(new Uint32Array(count));
    const dev = await comm.createDevComm({ lsaBarrierCount: 1, ginConnectionType: 'full', ginSignalCount: 1 });
    await comm.launch(one, { grid: 1, block: 64 }, { comm: dev, data, flags, out, count });
    await comm.synchronize();
  };

test.each([
  ['on two ranks alone, where left is right', passesOn, 'lsa.barrierSession.sync'],
  ['for a window that no other launch may touch', stores, 'lsa.barrierSession.sync'],
  ['for what only a larger program reads', tiles, 'lsa.barrierSession.sync'],
  ['for a program of one launch, whose signals it leaves', resets, 'gin.resetSignal'],
] as const)('nothing is removable %s', async (_, one, name) => {
  const { places } = await relaxProgram(host(one), {});
  const last = places.findLast(({ place }) => place.name === name);
  expect(last?.judgement).toBeDefined();
  expect(last?.judgement).not.toBe('removable');
});

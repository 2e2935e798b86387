import { Communicator, getPeerDevicePointer, World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from './support/fake-gpu.ts';

const reduce = kernel(
  { name: 'reduce', use: { lsa }, params: { comm: devComm, win: window, offset: u64, count: u32 } },
  ({ lsa, coopCta, blockIdx }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
  },
);

describe.skipIf(noFakeGpu !== undefined)(`the host API on a fake driver${unlessFakeGpu}`, () => {
  let gpu: FakeGpu;
  beforeAll(() => {
    gpu = createFakeGpu();
    gpu.configure(2, 2);
  });
  afterAll(() => gpu.dispose());

  it('runs a program like any other backend', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const before = gpu.launches();
    const sums = await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, 256);
      await win.write(new Float32Array(256).fill(comm.rank));
      const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
      await comm.launch(reduce, { grid: 2, block: 64 }, { comm: dev, win, offset: 0, count: 256 });
      return (await win.read())[255];
    });
    expect(sums).toEqual([0, 1]);
    expect(gpu.launches() - before).toBe(2);
  });

  it('records all ranks into one graph, which is one launch', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const setups = await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, 256);
      return { win, dev: await comm.createDevComm({ lsaBarrierCount: 2 }) };
    });
    const graph = await world.capture(async (comm) => {
      const setup = setups[comm.rank];
      if (setup === undefined) return;
      const args = { comm: setup.dev, win: setup.win, offset: 0, count: 256 };
      for (let i = 0; i < 3; i++)
        await comm.launch(reduce, { grid: 2, block: 64, attributes: { memSyncDomain: 'remote' } }, args);
    });
    expect(graph.launches).toBe(6);
    // Only the stream's attributes, because kernels wait for earlier ones themselves.
    expect(gpu.lastLaunch().attributes).toEqual([
      { id: 10, word: 1 },
      { id: 6, word: 1 },
    ]);
    const before = gpu.launches();
    await graph.launch();
    await graph.launch();
    expect(gpu.launches() - before).toBe(2);
    for (const rank of [0, 1]) expect(await world.comm(rank).synchronize()).toMatchObject({ launches: 6 });
    await graph.close();
    await expect(graph.launch()).rejects.toMatchObject({ code: 'NCCLTS_CLOSED' });
  });

  it('splits a communicator, in another order and without some ranks', async () => {
    gpu.configure(4, 2);
    const before = gpu.live();
    {
      await using world = await World.open({ backend: gpu.backend() });
      const seen = await world.run(async (comm) => {
        const made = await comm.split(comm.rank === 1 ? null : comm.rank % 2, -comm.rank);
        if (made === null) return undefined;
        const win = await made.allocWindow(f32, 256);
        await win.write(new Float32Array(256).fill(comm.rank));
        const dev = await made.createDevComm({ lsaBarrierCount: 2 });
        await made.launch(reduce, { grid: 2, block: 64 }, { comm: dev, win, offset: 0, count: 256 });
        await made.synchronize();
        const peers = Array.from({ length: made.nRanks }, (_, peer) => getPeerDevicePointer(win, 0, peer)?.address);
        return { rank: made.rank, nRanks: made.nRanks, lsaSize: made.lsaSize, value: (await win.read())[0], peers };
      });
      // The fake NCCL lays windows out by LSA rank.
      const at = (lsaRank: number): number => 2 ** 40 + lsaRank * 32 * 2 ** 32;
      expect(seen).toEqual([
        { rank: 1, nRanks: 2, lsaSize: 2, value: 0, peers: [at(0), at(1)] },
        undefined,
        { rank: 0, nRanks: 2, lsaSize: 2, value: 2, peers: [at(0), at(1)] },
        { rank: 0, nRanks: 1, lsaSize: 1, value: 3, peers: [at(0)] },
      ]);
    }
    expect(gpu.live().nccl).toBe(before.nccl);
    gpu.configure(2, 2);
  });

  it('compiles a kernel a second time for abortable launches', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, 256);
      const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
      const args = { comm: dev, win, offset: 0, count: 256 };
      await comm.launch(reduce, { grid: 2, block: 64 }, args);
      await comm.synchronize();
      const plain = gpu.lastLaunch().arguments.length;
      await comm.launch(reduce, { grid: 2, block: 64, abortable: true }, args);
      await comm.synchronize();
      expect(gpu.lastLaunch().arguments.length).toBe(Math.ceil(plain / 8) * 8 + 8);
    });
  });

  it('has streams with their own domains', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(0);
    expect(comm.memSyncDomainCount).toBe(4);
    await comm.createStream({ memSyncDomainMap: { default: 2, remote: 3 } });
    await expect(comm.createStream({ memSyncDomainMap: { default: 0, remote: 4 } })).rejects.toMatchObject({
      code: 'NCCL_INVALID_ARGUMENT',
    });
  });

  it('joins a world of several processes', async () => {
    const backend = gpu.backend({ devices: [1] });
    const uniqueId = await Communicator.getUniqueId(backend);
    await using comm = await Communicator.init({ backend, rank: 1, nRanks: 2, uniqueId });
    expect([comm.rank, comm.nRanks, comm.lsaRank, comm.lsaSize]).toEqual([1, 2, 1, 2]);
    const live = gpu.live().nccl;
    await comm.close();
    expect(gpu.live().nccl).toBe(live - 1);
  });
});

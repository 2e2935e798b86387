import { World } from '@nccl-ts/communicator';
import { sim } from '@nccl-ts/backend-sim';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';

/** The quick tests have one of 4. */
const isNow = (_: unknown, i: number): boolean => (i % 4 === 1) !== inject('slow');

const allToAll = kernel(
  { name: 'ginAllToAll', use: { gin, teamWorld }, params: { comm: devComm, send: window, recv: window, n: u32 } },
  ({ gin, teamWorld, coopCta, threadIdx, blockDim }, { comm, send, recv, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const bar = gin.barrierSession(coopCta(), net, 'world', 0);
    const before = net.readSignal(0);
    bar.sync(coopCta(), 'acquire', 'none');
    for (let peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) {
      net.put(world, peer, recv, comm.rank * n * 4, send, peer * n * 4, n * 4, gin.weakSignalInc(0));
    }
    net.waitSignal(coopCta(), 0, before + comm.nRanks);
    net.flush(coopCta());
  },
);

describe.each(['prompt', 'random', 'late'] as const)('an all-to-all by puts, delivered %s', (delivery) => {
  it.each([1, 2, 4, 8].filter(isNow))('among %i ranks', async (ranks) => {
    for (let seed = 0; seed < 20; seed++) {
      const world = await World.open({ backend: sim({ ranks, lsaSize: 1, seed, gin: { delivery } }) });
      const n = 5;
      const results = await world.run(async (comm) => {
        const send = await comm.allocWindow('u32', ranks * n);
        const recv = await comm.allocWindow('u32', ranks * n);
        await send.write(Uint32Array.from({ length: ranks * n }, (_, i) => comm.rank * 1000 + i));
        const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1 });
        for (let round = 0; round < 2; round++) {
          await comm.launch(allToAll, { grid: 1, block: 32 }, { comm: dev, send, recv, n });
        }
        await comm.synchronize();
        return recv.read();
      });
      for (const [rank, got] of results.entries()) {
        const want = Array.from({ length: ranks }, (_, peer) =>
          Array.from({ length: n }, (_, i) => peer * 1000 + rank * n + i),
        ).flat();
        expect([...got]).toEqual(want);
      }
      await world.close();
    }
  });
});

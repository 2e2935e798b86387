import { sim } from '@nccl-ts/backend-sim';
import { barrier } from '@nccl-ts/barrier';
import { World } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/**
 * Every rank sends its number to every other one: to neighbours by stores, to the rest by puts.
 * Then all ranks read the received numbers.
 */
const tellAll = kernel(
  {
    name: 'tellAll',
    use: { barrier, gin, lsa, teamWorld },
    params: { comm: devComm, told: window, seen: window, rounds: u32 },
  },
  ({ barrier, gin, lsa, teamWorld, coopCta, threadIdx, blockDim, i32, u32 }, { comm, told, seen, rounds }) => {
    const net = gin.context(comm, 0);
    const bar = barrier.session(coopCta(), net, 'world', 0);
    const first = comm.rank - comm.lsaRank;
    for (let round = u32(0); round < rounds; round++) {
      for (let peer = i32(threadIdx.x); peer < comm.nRanks; peer += i32(blockDim.x)) {
        const value = u32(comm.rank) + round * 100;
        if (peer >= first && peer < first + comm.lsaSize) lsa.peerPointer(told, u32, 0, peer).store(comm.rank, value);
        else net.putValue(teamWorld(comm), peer, told, comm.rank * 4, value);
      }
      bar.sync(coopCta(), 'acq_rel', 'put');
      for (let peer = i32(threadIdx.x); peer < comm.nRanks; peer += i32(blockDim.x)) {
        lsa
          .localPointer(seen, u32, 0)
          .store(round * u32(comm.nRanks) + u32(peer), lsa.localPointer(told, u32, 0).load(peer));
      }
      bar.sync(coopCta(), 'acq_rel', 'none');
      bar.lsaBarrier().sync(coopCta(), 'relaxed');
    }
  },
);

describe('a hybrid barrier', () => {
  it.each(
    (
      [
        [1, 1],
        [4, 1],
        [4, 2],
        [4, 4],
        [8, 2],
      ] as const
    ).filter((_, i) => (i === 2) !== inject('slow')),
  )('orders stores and puts among %i ranks in domains of %i', async (ranks, lsaSize) => {
    for (const delivery of ['random', 'late'] as const) {
      for (let seed = 0; seed < 10; seed++) {
        const world = await World.open({ backend: sim({ ranks, lsaSize, seed, gin: { delivery } }) });
        const rounds = 3;
        const results = await world.run(async (comm) => {
          const told = await comm.allocWindow('u32', ranks);
          const seen = await comm.allocWindow('u32', ranks * rounds);
          const dev = await comm.createDevComm({ ginConnectionType: 'full', barrierCount: 1 });
          await comm.launch(tellAll, { grid: 1, block: 32 }, { comm: dev, told, seen, rounds });
          await comm.synchronize();
          return seen.read();
        });
        const wanted = Array.from({ length: rounds }, (_, round) =>
          Array.from({ length: ranks }, (_, peer) => peer + round * 100),
        ).flat();
        for (const got of results) expect([...got]).toEqual(wanted);
        await world.close();
      }
    }
  });
});

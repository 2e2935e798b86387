import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';

/**
 * Rank 0 signals rank 1 three times, puts, and waits for the requested flush. Rank 1 follows with
 * its shadow.
 */
const follow = kernel(
  { name: 'follow', use: { gin, lsa, teamWorld, Word: u64 }, params: { comm: devComm, out: window } },
  ({ gin, lsa, teamWorld, Word, coopWarp, threadIdx, u64 }, { comm, out }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    if (comm.rank === 0) {
      if (threadIdx.x === 0) {
        const before = net.flushAsync(world, 1);
        net.signal(world, 1, gin.strongSignalAdd(0, 3));
        net.put(world, 1, out, 64, out, 32, 8, gin.strongSignalAdd(0, 254));
        const request = net.flushAsync(world, 1);
        net.wait(before);
        net.wait(request, 'acquire');
        lsa.localPointer(out, Word, 32).store(0, u64(9));
      }
    } else {
      const first = net.waitSignalFollowShadow(coopWarp(), 0, 257);
      const again = net.waitSignalFollowShadow(coopWarp(), 0, 0, { bits: 8 });
      if (threadIdx.x === 0) {
        const o = lsa.localPointer(out, Word, 0);
        o.store(0, first.before);
        o.store(1, first.delta);
        o.store(2, again.before);
        o.store(3, again.delta);
      }
    }
  },
);

it.each(['prompt', 'random', 'late'] as const)(
  'waitSignalFollowShadow follows its shadow and flushes, delivered %s',
  async (delivery) => {
    for (let seed = 0; seed < 10; seed++) {
      await using world = await World.open({ backend: sim({ ranks: 2, lsaSize: 1, seed, gin: { delivery } }) });
      const found = await world.run(async (comm) => {
        const out = await comm.allocWindow('u64', 16);
        await out.write(BigUint64Array.from({ length: 16 }, (_, i) => (i === 4 ? 7n : 0n)));
        const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
        await comm.launch(follow, { grid: 1, block: 32 }, { comm: dev, out });
        await comm.synchronize();
        return Array.from(await out.read(), Number);
      });
      // The shadow holds the low 8 bits of 257, and nothing beyond. The put data is what was there
      // before the flush completed.
      expect(found[1]?.slice(0, 4)).toEqual([0, 257, 1, 0]);
      expect(found[1]?.[8]).toBe(7);
      expect(found[0]?.[4]).toBe(9);
    }
  },
);

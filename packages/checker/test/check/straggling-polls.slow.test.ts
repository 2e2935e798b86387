import { check } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';

/**
 * Each thread fills a slot at its peer and empties its own, twice. Both poll by compare-and-swap,
 * which is no wait.
 */
const slots = kernel(
  { name: 'slots', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win }) => {
    for (let round = 0; round < 2; round++) {
      if (threadIdx.x < comm.lsaSize) {
        const far = lsa.pointer(win, u32, 0, threadIdx.x);
        const own = lsa.localPointer(win, u32, 0);
        while (far.atomicCas(comm.lsaRank, 0, 1, 'release', 'system') !== 0);
        while (own.atomicCas(threadIdx.x, 1, 0, 'acquire', 'system') !== 1);
      }
      coopCta().sync();
    }
  },
);

it('a thread that is held after each poll does not keep other CTAs from running', async () => {
  const options = { ranks: 4, strategy: 'late', seed: 1, schedules: 24, fuel: 20_000, time: 30 } as const;
  const { verdict } = await check(options, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 4);
      await win.write(new Uint32Array(4));
      const dev = await comm.createDevComm({});
      for (let launch = 0; launch < 2; launch++) await comm.launch(slots, { grid: 1, block: 8 }, { comm: dev, win });
      await comm.synchronize();
    });
  });
  expect(verdict).toBe('clean');
});

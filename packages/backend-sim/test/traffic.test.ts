import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { defineBackend } from '@nccl-ts/transport';
import { expect, test } from 'vitest';
import type { LinkTraffic } from '@nccl-ts/cost-model';
import { sim, type SimBackend, type SimOptions, type SimWorld } from '../src/index.ts';

/** Each of 4 threads loads one word from the next rank, stores two to it, and adds to one. */
const neighbour = kernel(
  { name: 'neighbour', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, u32 }, { comm, win }) => {
    const next = lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    const own = lsa.localPointer(win, u32, 0);
    own.store(threadIdx.x, next.load(4 + threadIdx.x));
    next.store(8 + 2 * threadIdx.x, 1);
    next.store(9 + 2 * threadIdx.x, 2);
    next.atomicAdd(16 + threadIdx.x, 1);
  },
);

async function trafficOf(options: SimOptions): Promise<readonly LinkTraffic[]> {
  const backend = sim(options);
  const worlds: SimWorld[] = [];
  const observed = defineBackend<SimBackend>({
    ...backend,
    open: async (asked) => {
      const opened = await backend.open(asked);
      worlds.push(opened);
      return opened;
    },
  });
  await using world = await World.open({ backend: observed });
  await world.run(async (comm) => {
    const win = await comm.allocWindow('u32', 32);
    const dev = await comm.createDevComm();
    await comm.launch(neighbour, { grid: 1, block: 4 }, { comm: dev, win });
    await comm.synchronize();
  });
  return worlds.flatMap((one) => one.traffic());
}

test('a traced world counts the bytes of loads, stores and atomics on each link, and none of its own memory', async () => {
  const counted = await trafficOf({ ranks: 3, trace: true });
  expect(counted).toHaveLength(6);
  for (const { rank, peer, loaded, stored } of counted) {
    const isNext = peer === (rank + 1) % 3;
    expect({ rank, peer, loaded, stored }).toEqual({ rank, peer, loaded: isNext ? 32 : 0, stored: isNext ? 48 : 0 });
  }
});

test('a world without a trace counts nothing, and says so', async () => {
  await expect(trafficOf({ ranks: 2 })).rejects.toThrow('sim({ trace: true })');
});

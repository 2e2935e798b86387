import { DeadlockError, sim, type SimWorld } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { Backend } from '@nccl-ts/transport';
import { expect, it } from 'vitest';

import { allReduce, oneMeets } from '../worker/kernels.ts';

/** Opens a world with two threads. Returns the number that it has. */
async function opened(): Promise<{ readonly world: World; readonly workers: SimWorld['workers'] }> {
  const backend = sim({ ranks: 4, engine: 'wasm', workers: 2 });
  let workers: SimWorld['workers'] = { threads: 0, note: undefined };
  const open: Backend['open'] = async (options) => {
    const device = await backend.open(options);
    ({ workers } = device);
    return device;
  };
  const world = await World.open({ backend: { ...backend, open } });
  return { world, workers };
}

it('kernels run on workers of the page', async () => {
  const { world, workers } = await opened();
  expect(workers).toEqual({ threads: 2, note: undefined });
  const count = 5000;
  const results = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, count);
    if (win === null) throw new Error('there is symmetric memory');
    await win.write(Float32Array.from({ length: count }, (_, i) => i + comm.rank));
    const dev = await comm.createDevComm({ lsaBarrierCount: 4 });
    for (let round = 0; round < 3; round++) {
      await comm.launch(allReduce, { grid: 4, block: 64 }, { comm: dev, win, count });
      await comm.synchronize();
    }
    return win.read();
  });
  const expected = Float32Array.from({ length: count }, (_, i) => (4 * i + 6) * 16);
  for (const result of results) expect(result).toEqual(expected);
  await world[Symbol.asyncDispose]();
});

it('deadlocks on workers of the page are reported', async () => {
  const { world } = await opened();
  const error: unknown = await world
    .run(async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(oneMeets, { grid: 1, block: 32 }, { comm: dev });
      await comm.synchronize();
    })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DeadlockError);
  await world[Symbol.asyncDispose]();
});

import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { u32 } from '@nccl-ts/kernel';
import { afterEach, expect, it, vi } from 'vitest';
import { Shadow } from '@nccl-ts/memory-model';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a closed world frees its memory and keeps its findings, even if the program still holds it', async () => {
  const page = vi.spyOn(Shadow.prototype, 'page');
  const backend = sim({ ranks: 2, mode: 'check' });
  const world = await World.open({ backend });
  await world.run(async (comm) => {
    const win = await comm.allocWindow(u32, 1 << 16);
    await win.write(new Uint32Array(1 << 16).fill(1));
  });
  const before = backend.report();
  const shadows = [...new Set(page.mock.contexts)].filter((context) => context instanceof Shadow);
  expect(Math.max(...shadows.map(({ bytes }) => bytes))).toBeGreaterThanOrEqual(2 * 2 * (1 << 18));
  await world.close();
  expect(shadows.map(({ bytes }) => bytes)).toEqual(shadows.map(() => 0));
  expect(backend.report()).toEqual(before);
});

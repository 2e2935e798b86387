import { check } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { comm: devComm, win: window };

/** Rank 0 stores to rank 1, which need not have waited for that. */
const tells = (waits: boolean) =>
  kernel({ name: 'tells', use: { lsa, WAITS: waits }, params }, ({ lsa, waitUntil, u32, WAITS }, { comm, win }) => {
    const words = lsa.pointer(win, u32, 0, 1);
    if (comm.rank === 0) {
      words.store(0, 7);
      words.store(1, 1, 'release', 'system');
    } else {
      if (WAITS) waitUntil(() => words.load(1, 'acquire', 'system') === 1);
      words.store(2, words.load(0));
    }
  });

/** A program whose host throws if its result is not `wanted`. */
const program =
  (one: ReturnType<typeof tells>, wanted: number) =>
  async (backend: SimBackend): Promise<void> => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      await win.write(new Uint32Array(4));
      const dev = await comm.createDevComm({});
      await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, win });
      await comm.synchronize();
      const [, , result] = await win.read();
      if (comm.rank === 1 && result !== wanted) throw new Error(`the result is ${result}`);
    });
  };

describe('a host that throws because its result is wrong', () => {
  it('does not hide the race that made it so', async () => {
    const report = await check({ ranks: 2, strategy: 'late', schedules: 4 }, program(tells(false), 8));
    expect(report.verdict).toBe('race');
  });

  it('is what the check throws, if no kernel is wrong', async () => {
    await expect(check({ ranks: 2 }, program(tells(true), 8))).rejects.toThrow('the result is 7');
    expect((await check({ ranks: 2 }, program(tells(true), 7))).verdict).toBe('clean');
  });
});

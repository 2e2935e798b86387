import { afterEach, describe, expect, it, vi } from 'vitest';
import { packagesWith, watched } from './support/slices.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  // Other tests must not get the packages with this clock.
  vi.resetModules();
});

describe('the event loop', () => {
  it('does not change a run', async () => {
    const run = async (clock: () => number): Promise<readonly unknown[]> => {
      const { sim, World, u32, adds } = await packagesWith(clock);
      const { backend, turns, hash } = watched(sim({ ranks: 3, seed: 7 }));
      const world = await World.open({ backend });
      const order: number[] = [];
      const words = await world.run(async (comm) => {
        const win = await comm.allocWindow(u32, 2);
        for (let launch = 0; launch < 3; launch++) {
          await comm.launch(adds, { grid: 5 + 3 * comm.rank, block: 1 }, { win, rounds: 10 });
          await comm.synchronize();
          order.push(comm.rank);
        }
        return (await win.read())[0];
      });
      await world.close();
      return [words, order, turns(), hash()];
    };
    let time = 0;
    const stopped = await run(() => 0);
    expect(await run(() => (time += 60))).toEqual(stopped);
    expect(stopped[0]).toEqual([15, 24, 33]);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { packagesWith, watched } from './support/slices.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  // Other tests must not get the packages with this clock.
  vi.resetModules();
});

describe('the event loop', () => {
  it('runs between slices of CTAs, so that a signal can end a launch of many CTAs', async () => {
    const { sim, World, u32, adds } = await packagesWith(() => Date.now());
    const { backend, turns } = watched(sim({ ranks: 1, residentCtas: 4000 }));
    await using world = await World.open({ backend });
    const abort = new AbortController();
    const running = world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 2);
      // About a millisecond each.
      await comm.launch(adds, { grid: 3000, block: 1, signal: abort.signal }, { win, rounds: 300_000 });
      setTimeout(() => abort.abort(), 1);
      await comm.synchronize();
    });
    await expect(running).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
    expect(turns()).toBeLessThan(3000);
  });
});

import type { SimBackend, SimWorld } from '@nccl-ts/backend-sim';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  // Other tests must not get the packages with this clock.
  vi.resetModules();
});

/** Loads copies of the packages in a process whose clock is `clock`. */
async function packagesWith(clock: () => number): Promise<{
  readonly sim: typeof import('@nccl-ts/backend-sim').sim;
  readonly World: typeof import('@nccl-ts/communicator').World;
  readonly u32: typeof import('@nccl-ts/kernel').u32;
  readonly adds: ReturnType<typeof addsKernel>;
}> {
  vi.stubGlobal('performance', { now: clock });
  vi.resetModules();
  const { sim } = await import('@nccl-ts/backend-sim');
  const { World } = await import('@nccl-ts/communicator');
  const { window } = await import('@nccl-ts/devcomm');
  const { kernel, u32 } = await import('@nccl-ts/kernel');
  const { lsa } = await import('@nccl-ts/lsa');
  return { sim, World, u32, adds: addsKernel({ kernel, window, u32, lsa }) };
}

interface Words {
  readonly kernel: typeof import('@nccl-ts/kernel').kernel;
  readonly window: typeof import('@nccl-ts/devcomm').window;
  readonly u32: typeof import('@nccl-ts/kernel').u32;
  readonly lsa: typeof import('@nccl-ts/lsa').lsa;
}

/** A backend that records its only world. */
function watched(own: SimBackend): {
  readonly backend: SimBackend;
  readonly turns: () => number;
  readonly hash: () => number;
} {
  let opened: SimWorld | undefined;
  const open: SimBackend['open'] = async (options) => {
    opened = await own.open(options);
    return opened;
  };
  return { backend: { ...own, open }, turns: () => opened?.turns ?? -1, hash: () => opened?.eventHash ?? -1 };
}

/** Every CTA adds 1 to a word, each after its own number of loop rounds. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- what kernel() answers
function addsKernel({ kernel, window, u32, lsa }: Words) {
  return kernel(
    { name: 'adds', use: { lsa }, params: { win: window, rounds: u32 } },
    ({ lsa, u32 }, { win, rounds }) => {
      const p = lsa.localPointer(win, u32, 0);
      let x = u32(1);
      for (let i = u32(0); i < rounds; i++) x = x * 1664525 + 1013904223;
      p[1] = x;
      p.atomicAdd(0, 1);
    },
  );
}

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

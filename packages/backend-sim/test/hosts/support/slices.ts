import type { SimBackend, SimWorld } from '@nccl-ts/backend-sim';
import { vi } from 'vitest';

/** Loads copies of the packages in a process whose clock is `clock`. */
export async function packagesWith(clock: () => number): Promise<{
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
export function watched(own: SimBackend): {
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

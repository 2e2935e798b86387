import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { hosts } from '../every-engine.ts';

/**
 * Writes word 0. The parameters say when it triggers, and if it waits for the previous launch
 * before.
 */
export const produce = (TRIGGERS: 'before' | 'after' | 'never', WAITS = false, VALUE = 7) =>
  kernel(
    { name: `produce_${TRIGGERS}`, use: { lsa, TRIGGERS, WAITS, VALUE }, params: { win: window } },
    (
      { lsa, TRIGGERS, WAITS, VALUE, launchDependents, gridDependencySync, threadIdx, blockIdx, blockDim, u32 },
      { win },
    ) => {
      if (WAITS) gridDependencySync();
      if (TRIGGERS === 'before') launchDependents();
      lsa.localPointer(win, u32, 0).store(threadIdx.x + blockDim.x * blockIdx.x, VALUE);
      if (TRIGGERS === 'after') launchDependents();
    },
  );

/** Reads word 0 and writes word 8. The parameter says when it waits. */
export const consume = (WAITS: 'before' | 'after' | 'never') =>
  kernel(
    { name: `consume_${WAITS}`, use: { lsa, WAITS }, params: { win: window } },
    ({ lsa, WAITS, gridDependencySync, threadIdx, blockIdx, blockDim, u32 }, { win }) => {
      const words = lsa.localPointer(win, u32, 0);
      const own = threadIdx.x + blockDim.x * blockIdx.x;
      if (WAITS === 'before') gridDependencySync();
      words.store(8 + own, words.load(own) + 1);
      if (WAITS === 'after') gridDependencySync();
    },
  );

/** Accesses nothing that the other kernels use. */
export const idle = kernel({ name: 'idle', use: { lsa }, params: { win: window } }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(16, 1);
});

/** Any kernel of this file. */
type Step = { readonly kernel: typeof idle; readonly early?: boolean };

export const launches = (steps: readonly Step[], shape = { grid: 1, block: 2 }) =>
  hosts(async (comm) => {
    const win = await comm.allocWindow('u32', 32);
    for (const { kernel: made, early = false } of steps) {
      await comm.launch(made, { ...shape, attributes: { programmaticStreamSerialization: early } }, { win });
    }
    await comm.synchronize();
  });

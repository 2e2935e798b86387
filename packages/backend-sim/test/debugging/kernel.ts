import { kernel, u32 } from '@nccl-ts/kernel';

/** A kernel with a place to stop, and values to inspect there. */
export const debugged = kernel(
  { name: 'debugged', params: { limit: u32 } },
  ({ threadIdx, sharedArray, u32 }, { limit }) => {
    const kept = sharedArray(u32, 64);
    let total = u32(0);
    for (let step = 0; step < limit; step++) {
      total += step * threadIdx.x;
    }
    kept[threadIdx.x] = total;
  },
);

import { kernel, u32 } from '@nccl-ts/kernel';

/** Has a place to stop at, and values to look at there. */
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

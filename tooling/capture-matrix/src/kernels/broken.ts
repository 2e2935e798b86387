import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';

/** A value that is unknown when this file is built. */
const limit = new Date().getFullYear();

/** A kernel with three mistakes, which reports must locate in this file. */
export const broken = kernel(
  { name: 'broken', params: { win: window, count: u32 } },
  ({ threadIdx, f32, sharedArray }, { count }) => {
    const staging = sharedArray(f32, 64);
    if (threadIdx.x >= count) return;
    staging[threadIdx.x] = f32(threadIdx.x) + limit;
    staging[threadIdx.x] = 0.5 + threadIdx.x;
    staging.atomicMin(0, 1.5);
  },
);

import { f32, kernel, u32, type Kernel } from '@nccl-ts/kernel';

/** Does almost nothing, so its time is the cost of a launch. */
export const smallKernel: Kernel<{ readonly n: number; readonly x: number }> = kernel(
  { name: 'small', params: { n: u32, x: f32 } },
  ({ threadIdx, assert }, { n, x }) => {
    if (threadIdx.x >= n) assert(x > 0, 'there are more threads than expected');
  },
);

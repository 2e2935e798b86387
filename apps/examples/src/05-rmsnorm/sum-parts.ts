import { deviceFn, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/**
 * Sums `parts` runs of `hidden` floats, `stride` floats apart, into the first run. All threads of
 * the CTA must call it. One thread sums each element.
 */
export const sumParts: DeviceFn<(first: Ptr, parts: number, stride: number, hidden: number) => void> = deviceFn(
  { name: 'sumParts' },
  ({ threadIdx, blockDim, u32, f32 }, first: Ptr, parts: number, stride: number, hidden: number) => {
    for (let i = threadIdx.x; i < hidden; i += blockDim.x) {
      let sum = f32(0);
      for (let part = u32(0); part < u32(parts); part++) sum += first[part * stride + i]!;
      first[i] = sum;
    }
  },
);

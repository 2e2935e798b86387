import { deviceFn, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/**
 * Divides the `hidden` floats at `token` by their root mean square, in place: `x / sqrt(mean(x^2) +
 * eps)`. All threads of the CTA must call it. Their number is a power of two, at most 1024. The
 * function sees the values that any of them wrote to `token` before.
 */
export const blockRmsNorm: DeviceFn<(token: Ptr, hidden: number, eps: number) => void> = deviceFn(
  { name: 'blockRmsNorm' },
  ({ coopCta, threadIdx, blockDim, sharedArray, math, f32 }, token: Ptr, hidden: number, eps: number) => {
    const sums = sharedArray(f32, 1024);
    coopCta().sync();
    let sum = f32(0);
    for (let i = threadIdx.x; i < hidden; i += blockDim.x) sum += token[i]! * token[i]!;
    sums[threadIdx.x] = sum;
    coopCta().sync();
    for (let half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x]! += sums[threadIdx.x + half]!;
      coopCta().sync();
    }
    const scale = math.rsqrt(sums[0]! / f32(hidden) + eps);
    for (let i = threadIdx.x; i < hidden; i += blockDim.x) token[i]! *= scale;
    coopCta().sync();
  },
);

import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/**
 * Reduces one value of each thread of the CTA to a single value, which all threads get. All ranks
 * and backends combine the values in the same order. `nth` counts the calls at one place in the
 * code. The number of threads must be a multiple of the warp's.
 */
export type CtaFold = DeviceFn<(value: number, nth: number) => number>;

/** `joining` combines two values. `shuffles` is true if the backend moves values within warps. */
export function ctaFold(joining: DeviceFn<(a: number, b: number) => number>, shuffles: boolean): CtaFold {
  return deviceFn(
    { name: 'ctaFold', use: { join: joining, SHUFFLES: shuffles } },
    (
      { join, SHUFFLES, blockDim, coopCta, f32, sharedArray, shflXor, threadIdx, u32, unroll, warpSize },
      value: number,
      nth: number,
    ): number => {
      const nWarps = u32(blockDim.x / warpSize);
      let total = f32(value);
      if (SHUFFLES) {
        for (let half = u32(16); half > 0; half /= 2) total = join(total, shflXor(total, half));
        // Two sets alternate, because a warp may still read those of the previous call.
        const sums = sharedArray(f32, 64).offset((nth % 2) * warpSize);
        if (threadIdx.x % warpSize === 0) sums.store(threadIdx.x / warpSize, total);
        coopCta().sync();
        total = sums.load(0);
        // The loads of several sums are in flight together.
        for (let first = u32(0); first < nWarps; first += 8) {
          for (const i of unroll(8)) {
            if (first + i > 0 && first + i < nWarps) total = join(total, sums.load(first + i));
          }
        }
      } else {
        const sums = sharedArray(f32, 1024);
        coopCta().sync();
        sums.store(threadIdx.x, total);
        coopCta().sync();
        for (let half = u32(16); half > 0; half /= 2) {
          if (threadIdx.x % warpSize < half) {
            sums.store(threadIdx.x, join(sums.load(threadIdx.x), sums.load(threadIdx.x + half)));
          }
          coopCta().sync();
        }
        total = sums.load(0);
        for (let warp = u32(1); warp < nWarps; warp++) total = join(total, sums.load(warp * warpSize));
      }
      return total;
    },
  );
}

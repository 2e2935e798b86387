import { deviceFn, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { reduce } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { dstStride, srcStride } from './impl/region.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const strided = reduceCopyForm('localReduceSumCopy', {
  from: srcStride,
  to: dstStride,
  apart: 'all',
  move: reduce({ symmetric: false }),
});

/**
 * `localReduceSumCopy(coop, nSrc, srcBase, srcDispl, nDst, dstBase, dstDispl, count)`: sums `count`
 * elements of `nSrc` regions of the rank's own memory and stores the sums to `nDst` others. Each
 * region begins `srcDispl` or `dstDispl` elements after the previous one.
 *
 * @see ncclLocalReduceSumCopy
 */
export const localReduceSumCopy: DeviceFn<
  (
    coop: CoopLike,
    nSrc: number,
    srcBase: Ptr,
    srcDispl: number,
    nDst: number,
    dstBase: Ptr,
    dstDispl: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = deviceFn(
  { name: 'reduceCopy.localReduceSumCopy', use: { strided } },
  (
    { strided, typeOf },
    coop: CoopLike,
    nSrc: number,
    srcBase: Ptr,
    srcDispl: number,
    nDst: number,
    dstBase: Ptr,
    dstDispl: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    const src = { nSrc, srcBase, srcDispl };
    strided(coop, typeOf(srcBase), src, { nDst, dstBase, dstDispl }, count, options);
  },
);

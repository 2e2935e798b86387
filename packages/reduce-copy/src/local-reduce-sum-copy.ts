import { deviceFn, intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart, requiresStride } from './impl/contracts.ts';
import { coop, elements, integer, options, type } from './impl/forms.ts';
import { reduceElements } from './impl/reduce-elements.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const strided: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    nSrc: number,
    srcBase: Ptr,
    srcDispl: number,
    nDst: number,
    dstBase: Ptr,
    dstDispl: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.localReduceSumCopy',
    use: { requiresAllApart, requiresStride, reduceElements },
    params: {
      coop,
      type,
      nSrc: integer,
      srcBase: elements,
      srcDispl: integer,
      nDst: integer,
      dstBase: elements,
      dstDispl: integer,
      count: integer,
      'options?': options,
    },
  },
  (
    { requiresAllApart, requiresStride, reduceElements },
    coop: CoopLike,
    T: TypeFn,
    nSrc: number,
    srcBase: Ptr,
    srcDispl: number,
    nDst: number,
    dstBase: Ptr,
    dstDispl: number,
    count: number,
    options: ReduceCopyOptions,
  ) => {
    const src = (i: number): Ptr => srcBase.offset(i * srcDispl);
    const dst = (i: number): Ptr => dstBase.offset(i * dstDispl);
    requiresAllApart(coop, src, nSrc, dst, nDst, count);
    requiresStride(nDst, dstDispl, count);
    reduceElements(coop, T, { src, nSrc, dst, nDst }, count, false, options);
  },
);

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
    strided(coop, typeOf(srcBase), nSrc, srcBase, srcDispl, nDst, dstBase, dstDispl, count, options);
  },
);

import { intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart } from './impl/contracts.ts';
import { coop, integer, options, places, type, typedPlace } from './impl/forms.ts';
import { reduceThrough } from './impl/reduce-through.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

/**
 * `multimemReduceSumMultimemCopy(coop, T, src, nSrc, dst, nDst, count)`: sums element `at` over all
 * copies behind `nSrc` multicast pointers, and stores the sum to all copies behind `nDst` others.
 * `src(i)` and `dst(i)` return the pointers. Several sources are added in the accumulating type;
 * the sums over copies have the switch's own type. Types and sizes are those of
 * `multimemReduceSum`.
 *
 * @see ncclMultimemReduceSumMultimemCopy
 */
export const multimemReduceSumMultimemCopy: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.multimemReduceSumMultimemCopy',
    use: { requiresAllApart, typedPlace, reduceThrough },
    params: {
      coop,
      type,
      src: places,
      nSrc: integer,
      dst: places,
      nDst: integer,
      count: integer,
      'options?': options,
    },
  },
  (
    { requiresAllApart, typedPlace, reduceThrough },
    coop: CoopLike,
    T: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    _options?: ReduceCopyOptions,
  ) => {
    const from = (i: number): Ptr => typedPlace(T, src(i));
    const to = (i: number): Ptr => typedPlace(T, dst(i));
    requiresAllApart(coop, from, nSrc, to, nDst, count);
    const of = { src: from, nSrc, dst: to, nDst };
    reduceThrough(coop, T, of, { fromAll: true, toAll: true }, count, false);
  },
);

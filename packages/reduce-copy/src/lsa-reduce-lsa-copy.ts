import { intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart } from './impl/contracts.ts';
import { coop, integer, places, reduceOptions, type, typedPlace } from './impl/forms.ts';
import type { Operator } from './impl/join-sources.ts';
import { reduceElements } from './impl/reduce-elements.ts';
import type { ReduceCopyOptions, ReduceOptions } from './reduce-copy-options.ts';
import { sumPlacesParams, type SumPlaces } from './impl/sum-places.ts';

const use = { requiresAllApart, typedPlace, reduceElements };

/**
 * `lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count)`: reduces element `at` of `nSrc`
 * sources by `op`, and stores the result to all of `nDst` destinations. `src(i)` and `dst(i)`
 * return pointers to elements of type T. `op` takes and returns values of the accumulating type
 * (f32 for f16 and bf16, f16 for FP8, else T) and is applied from the first source to the last.
 * `before` and `after` (not in NCCL) convert values before and after the reduction, for example for
 * a scaled sum or an average.
 *
 * @see ncclLsaReduceLsaCopy
 */
export const lsaReduceLsaCopy: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    op: (a: number, b: number) => number,
    count: number,
    options?: ReduceOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.lsaReduceLsaCopy',
    use,
    params: {
      coop,
      type,
      src: places,
      nSrc: integer,
      dst: places,
      nDst: integer,
      op: places,
      count: integer,
      'options?': reduceOptions,
    },
  },
  (
    { requiresAllApart, typedPlace, reduceElements },
    coop: CoopLike,
    T: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    op: Operator,
    count: number,
    options: ReduceOptions,
  ) => {
    const from = (i: number): Ptr => typedPlace(T, src(i));
    const to = (i: number): Ptr => typedPlace(T, dst(i));
    requiresAllApart(coop, from, nSrc, to, nDst, count);
    const joined = { src: from, nSrc, dst: to, nDst };
    reduceElements(coop, T, joined, count, false, options, op, options.before, options.after);
  },
);

/**
 * `lsaReduceSumLsaCopy(coop, T, src, nSrc, dst, nDst, count)`: as `lsaReduceLsaCopy`, with a sum.
 *
 * @see ncclLsaReduceSumLsaCopy
 */
export const lsaReduceSumLsaCopy: DeviceFn<SumPlaces> = intrinsic(
  {
    name: 'reduceCopy.lsaReduceSumLsaCopy',
    use,
    params: sumPlacesParams,
  },
  (
    { requiresAllApart, typedPlace, reduceElements },
    coop: CoopLike,
    T: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    options: ReduceCopyOptions,
  ) => {
    const from = (i: number): Ptr => typedPlace(T, src(i));
    const to = (i: number): Ptr => typedPlace(T, dst(i));
    requiresAllApart(coop, from, nSrc, to, nDst, count);
    reduceElements(coop, T, { src: from, nSrc, dst: to, nDst }, count, false, options);
  },
);

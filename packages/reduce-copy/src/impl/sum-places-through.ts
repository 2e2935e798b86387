import { intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart } from './contracts.ts';
import { coop, integer, options, places, type, typedPlace } from './forms.ts';
import { reduceThrough } from './reduce-through.ts';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';

/** Sums from ordinary memory, to multicast addresses. */
export const sumPlacesToAll: DeviceFn<
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
    name: 'reduceCopy.sumPlacesToAll',
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
    reduceThrough(coop, T, of, { fromAll: false, toAll: true }, count, false);
  },
);

/** Sums over multicast addresses, to ordinary memory. */
export const sumOfAllToPlaces: DeviceFn<
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
    name: 'reduceCopy.sumOfAllToPlaces',
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
    reduceThrough(coop, T, of, { fromAll: true, toAll: false }, count, false);
  },
);

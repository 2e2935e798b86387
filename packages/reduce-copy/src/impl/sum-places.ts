import { intrinsic, type Accept, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart } from './contracts.ts';
import { coop, integer, options, places, type, typedPlace } from './forms.ts';
import { reduceThrough } from './reduce-through.ts';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';

/**
 * Sums of `nSrc` sources at all of `nDst` destinations; `src(i)` and `dst(i)` give pointers to
 * elements of the type.
 */
export type SumPlaces = (
  coop: CoopLike,
  type: TypeFn,
  src: (i: number) => Ptr,
  nSrc: number,
  dst: (i: number) => Ptr,
  nDst: number,
  count: number,
  options?: ReduceCopyOptions,
) => void;

/** The parameters of a {@link SumPlaces}. */
export const sumPlacesParams: Readonly<Record<string, Accept>> = Object.freeze({
  coop,
  type,
  src: places,
  nSrc: integer,
  dst: places,
  nDst: integer,
  count: integer,
  'options?': options,
});

/** A sum with multicast addresses among its sources, its destinations, or both. */
export function sumThrough(
  name: string,
  { fromAll, toAll }: { readonly fromAll: boolean; readonly toAll: boolean },
): DeviceFn<SumPlaces> {
  return intrinsic(
    {
      name,
      use: { requiresAllApart, typedPlace, reduceThrough, FROM_ALL: fromAll, TO_ALL: toAll },
      params: sumPlacesParams,
    },
    (
      { requiresAllApart, typedPlace, reduceThrough, FROM_ALL, TO_ALL },
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
      reduceThrough(coop, T, of, { fromAll: FROM_ALL, toAll: TO_ALL }, count, false);
    },
  );
}

import { deviceFn, intrinsic, type Accept, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';
import { coop, integer, options, places, type } from './forms.ts';
import type { Place } from './in-packs.ts';
import type { Operator } from './join-sources.ts';
import type { Move } from './move.ts';
import { requiresSound } from './reduce-copy-form.ts';
import { placesOf } from './region.ts';

/**
 * Stores the sums of `nSrc` sources to all of `nDst` destinations. `src(i)` and `dst(i)` return
 * pointers to elements of the type.
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

const both = { coop, type, src: places, nSrc: integer, dst: places, nDst: integer };

/** The parameters of a {@link SumPlaces}. */
export const sumPlacesParams: Readonly<Record<string, Accept>> = Object.freeze({
  ...both,
  count: integer,
  'options?': options,
});

/** The work of both forms: a sum, or a reduction by `op`. */
function movePlaces<Options>(
  move: Move<Options>,
): DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: Place,
    nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    options: Options,
    op?: Operator,
  ) => void
> {
  return deviceFn(
    { name: 'movePlaces', use: { requiresSound, placesOf, move } },
    (
      { requiresSound, placesOf, move },
      coop: CoopLike,
      T: TypeFn,
      from: Place,
      nSrc: number,
      to: Place,
      nDst: number,
      count: number,
      options: Options,
      op?: Operator,
    ) => {
      const src = placesOf(T, from, nSrc);
      const dst = placesOf(T, to, nDst);
      requiresSound(coop, 'all', src, dst, count);
      move(coop, T, src, dst, count, options, op);
    },
  );
}

/** A sum whose sources and destinations come from the author's functions. */
export function sumPlaces(name: string, move: Move): DeviceFn<SumPlaces> {
  return intrinsic(
    { name: `reduceCopy.${name}`, use: { movePlaces: movePlaces(move) }, params: sumPlacesParams },
    (
      { movePlaces },
      coop: CoopLike,
      T: TypeFn,
      src: Place,
      nSrc: number,
      dst: Place,
      nDst: number,
      count: number,
      options: ReduceCopyOptions,
    ) => {
      movePlaces(coop, T, src, nSrc, dst, nDst, count, options);
    },
  );
}

/** Like {@link SumPlaces}, with the operator `op`. */
export type ReducePlaces<Options> = (
  coop: CoopLike,
  type: TypeFn,
  src: (i: number) => Ptr,
  nSrc: number,
  dst: (i: number) => Ptr,
  nDst: number,
  op: (a: number, b: number) => number,
  count: number,
  options?: Options,
) => void;

/** A reduction with the author's operator. `accepts` are the options that `move` takes. */
export function reducePlaces<Options>(
  name: string,
  accepts: Accept,
  move: Move<Options>,
): DeviceFn<ReducePlaces<Options>> {
  return intrinsic(
    {
      name: `reduceCopy.${name}`,
      use: { movePlaces: movePlaces(move) },
      params: { ...both, op: places, count: integer, 'options?': accepts },
    },
    (
      { movePlaces },
      coop: CoopLike,
      T: TypeFn,
      src: Place,
      nSrc: number,
      dst: Place,
      nDst: number,
      op: Operator,
      count: number,
      options: Options,
    ) => {
      movePlaces(coop, T, src, nSrc, dst, nDst, count, options, op);
    },
  );
}

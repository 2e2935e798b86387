import { multimemHandle, team, type MultimemHandle, type SymPtr } from '@nccl-ts/devcomm';
import { deviceFn, forms, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anyPointer, anySymPtr, coop, integer, options } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { sumPlaces, sumPlacesParams } from './impl/reduce-places.ts';
import { pointer, teamWindow } from './impl/region.ts';
import { sameElements } from './impl/same-elements.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const toTeam = reduceCopyForm('multimemReduceSumLsaCopy', {
  from: pointer,
  to: teamWindow,
  apart: 'none',
  move: reduceByMulticast({ fromAll: true, toAll: false, symmetric: true }),
});

const toPlaces = sumPlaces('sumOfAllToPlaces', reduceByMulticast({ fromAll: true, toAll: false, symmetric: false }));

const withSymPtrs = deviceFn(
  { name: 'multimemReduceSumLsaCopy', use: { toTeam, sameElements } },
  (
    { toTeam, sameElements },
    coop: CoopLike,
    src: SymPtr,
    handle: MultimemHandle,
    dst: SymPtr,
    team: Team,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    const T = sameElements(src, dst);
    toTeam(coop, T, src.multimemPtr(handle), { win: dst.window, offset: dst.offset, team }, count, options);
  },
);

const withPointer = deviceFn(
  { name: 'multimemReduceSumLsaCopy', use: { toTeam } },
  ({ toTeam }, coop: CoopLike, src: Ptr, dst: SymPtr, team: Team, count: number, options?: ReduceCopyOptions) => {
    toTeam(coop, dst.T, src, { win: dst.window, offset: dst.offset, team }, count, options);
  },
);

/** The forms of `multimemReduceSumLsaCopy`. */
export interface MultimemReduceSumLsaCopy {
  /** From the ranks that the handle names to the members of a team. */
  (
    coop: CoopLike,
    src: SymPtr,
    handle: MultimemHandle,
    dst: SymPtr,
    team: Team,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
  /** From all copies behind the multicast pointer `src` to the members of a team. */
  (coop: CoopLike, src: Ptr, dst: SymPtr, team: Team, count: number, options?: ReduceCopyOptions): void;
  /**
   * From `nSrc` multicast sources to `nDst` destinations: `src(i)` and `dst(i)` return the
   * pointers.
   */
  (
    coop: CoopLike,
    type: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
}

/**
 * Sums `count` elements over the ranks of a multimem handle, and stores the sums to the members of
 * a team. The switch computes the sums. Types and sizes are those of `multimemReduceSum`.
 *
 * @see ncclMultimemReduceSumLsaCopy
 */
export const multimemReduceSumLsaCopy: DeviceFn<MultimemReduceSumLsaCopy> = forms({
  name: 'reduceCopy.multimemReduceSumLsaCopy',
  forms: [
    {
      params: {
        coop,
        src: anySymPtr,
        handle: multimemHandle,
        dst: anySymPtr,
        team,
        count: integer,
        'options?': options,
      },
      fn: withSymPtrs,
    },
    { params: { coop, src: anyPointer, dst: anySymPtr, team, count: integer, 'options?': options }, fn: withPointer },
    {
      params: sumPlacesParams,
      fn: toPlaces,
    },
  ],
});

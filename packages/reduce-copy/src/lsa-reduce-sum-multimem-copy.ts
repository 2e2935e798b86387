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

const ofTeam = reduceCopyForm('lsaReduceSumMultimemCopy', {
  from: teamWindow,
  to: pointer,
  apart: 'none',
  move: reduceByMulticast({ fromAll: false, toAll: true, symmetric: true }),
});

const ofPlaces = sumPlaces('sumPlacesToAll', reduceByMulticast({ fromAll: false, toAll: true, symmetric: false }));

const withSymPtrs = deviceFn(
  { name: 'lsaReduceSumMultimemCopy', use: { ofTeam, sameElements } },
  (
    { ofTeam, sameElements },
    coop: CoopLike,
    src: SymPtr,
    team: Team,
    dst: SymPtr,
    handle: MultimemHandle,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    const T = sameElements(src, dst);
    ofTeam(coop, T, { win: src.window, offset: src.offset, team }, dst.multimemPtr(handle), count, options);
  },
);

const withPointer = deviceFn(
  { name: 'lsaReduceSumMultimemCopy', use: { ofTeam } },
  ({ ofTeam }, coop: CoopLike, src: SymPtr, team: Team, dst: Ptr, count: number, options?: ReduceCopyOptions) => {
    ofTeam(coop, src.T, { win: src.window, offset: src.offset, team }, dst, count, options);
  },
);

/** The forms of `lsaReduceSumMultimemCopy`. */
export interface LsaReduceSumMultimemCopy {
  /** From the members of a team to the ranks that the handle names. */
  (
    coop: CoopLike,
    src: SymPtr,
    team: Team,
    dst: SymPtr,
    handle: MultimemHandle,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
  /** From the members of a team to all copies that the multicast pointer `dst` reaches. */
  (coop: CoopLike, src: SymPtr, team: Team, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
  /**
   * From `nSrc` sources to `nDst` multicast destinations: `src(i)` and `dst(i)` return the
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
 * Sums `count` elements over the members of a team, and stores the sums to the ranks of a multimem
 * handle. The switch writes to all of them. Regions of elements with less than 4 bytes must begin
 * and end there at multiples of 4 bytes.
 *
 * @see ncclLsaReduceSumMultimemCopy
 */
export const lsaReduceSumMultimemCopy: DeviceFn<LsaReduceSumMultimemCopy> = forms({
  name: 'reduceCopy.lsaReduceSumMultimemCopy',
  forms: [
    {
      params: {
        coop,
        src: anySymPtr,
        team,
        dst: anySymPtr,
        handle: multimemHandle,
        count: integer,
        'options?': options,
      },
      fn: withSymPtrs,
    },
    { params: { coop, src: anySymPtr, team, dst: anyPointer, count: integer, 'options?': options }, fn: withPointer },
    {
      params: sumPlacesParams,
      fn: ofPlaces,
    },
  ],
});

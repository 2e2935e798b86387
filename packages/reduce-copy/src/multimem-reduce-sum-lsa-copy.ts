import { multimemHandle, team, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anyPointer, anySymPtr, coop, elements, integer, memberPointer, options, type } from './impl/forms.ts';
import { reduceThrough } from './impl/reduce-through.ts';
import { sameElements } from './impl/same-elements.ts';
import { sumOfAllToPlaces } from './impl/sum-places-through.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';
import { sumPlacesParams } from './impl/sum-places.ts';

const toTeam: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: Ptr,
    win: Window,
    offset: number,
    team: Team,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.multimemReduceSumLsaCopy',
    use: { memberPointer, reduceThrough },
    params: {
      coop,
      type,
      src: elements,
      win: window,
      offset: addr,
      team,
      count: integer,
      'options?': options,
    },
  },
  (
    { memberPointer, reduceThrough },
    coop: CoopLike,
    T: TypeFn,
    src: Ptr,
    win: Window,
    offset: number,
    team: Team,
    count: number,
    _options?: ReduceCopyOptions,
  ) => {
    const from = (_i: number): Ptr => src;
    const dst = (i: number): Ptr => memberPointer(win, T, offset, team, i);
    const of = { src: from, nSrc: 1, dst, nDst: team.nRanks };
    reduceThrough(coop, T, of, { fromAll: true, toAll: false }, count, true);
  },
);

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
    toTeam(coop, T, src.multimemPtr(handle), dst.window, dst.offset, team, count, options);
  },
);

const withPointer = deviceFn(
  { name: 'multimemReduceSumLsaCopy', use: { toTeam } },
  ({ toTeam }, coop: CoopLike, src: Ptr, dst: SymPtr, team: Team, count: number, options?: ReduceCopyOptions) => {
    toTeam(coop, dst.T, src, dst.window, dst.offset, team, count, options);
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
 * Sums `count` elements over the ranks of a multimem handle, which the switch does, and stores the
 * sums to the members of a team. Types and sizes are those of `multimemReduceSum`.
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
      fn: sumOfAllToPlaces,
    },
  ],
});

import { multimemHandle, team, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anyPointer, anySymPtr, coop, elements, integer, memberPointer, options, type } from './impl/forms.ts';
import { reduceThrough } from './impl/reduce-through.ts';
import { sameElements } from './impl/same-elements.ts';
import { sumPlacesToAll } from './impl/sum-places-through.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';
import { sumPlacesParams } from './impl/sum-places.ts';

const ofTeam: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    win: Window,
    offset: number,
    team: Team,
    dst: Ptr,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.lsaReduceSumMultimemCopy',
    use: { memberPointer, reduceThrough },
    params: {
      coop,
      type,
      win: window,
      offset: addr,
      team,
      dst: elements,
      count: integer,
      'options?': options,
    },
  },
  (
    { memberPointer, reduceThrough },
    coop: CoopLike,
    T: TypeFn,
    win: Window,
    offset: number,
    team: Team,
    dst: Ptr,
    count: number,
    _options?: ReduceCopyOptions,
  ) => {
    const src = (i: number): Ptr => memberPointer(win, T, offset, team, i);
    const to = (_i: number): Ptr => dst;
    const of = { src, nSrc: team.nRanks, dst: to, nDst: 1 };
    reduceThrough(coop, T, of, { fromAll: false, toAll: true }, count, true);
  },
);

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
    ofTeam(coop, T, src.window, src.offset, team, dst.multimemPtr(handle), count, options);
  },
);

const withPointer = deviceFn(
  { name: 'lsaReduceSumMultimemCopy', use: { ofTeam } },
  ({ ofTeam }, coop: CoopLike, src: SymPtr, team: Team, dst: Ptr, count: number, options?: ReduceCopyOptions) => {
    ofTeam(coop, src.T, src.window, src.offset, team, dst, count, options);
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
  /** From the members of a team to all that is behind the multicast pointer `dst`. */
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
 * Sums `count` elements over the members of a team and stores the sums to the ranks of a multimem
 * handle: the switch writes to all. Elements of less than 4 bytes must begin and end at multiples
 * of 4 bytes there.
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
      fn: sumPlacesToAll,
    },
  ],
});

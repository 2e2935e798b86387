import { team, window, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, intrinsic, forms, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { requiresApart } from './impl/contracts.ts';
import { anySymPtr, coop, integer, memberPointer, options, overTeams, teamOf, type } from './impl/forms.ts';
import { reduceElements } from './impl/reduce-elements.ts';
import { sameElements } from './impl/same-elements.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const betweenTeams: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    srcWin: Window,
    srcOffset: number,
    srcTeam: Team,
    dstWin: Window,
    dstOffset: number,
    dstTeam: Team,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.lsaReduceSumCopy',
    use: { memberPointer, requiresApart, reduceElements },
    params: {
      coop,
      type,
      srcWin: window,
      srcOffset: addr,
      srcTeam: team,
      dstWin: window,
      dstOffset: addr,
      dstTeam: team,
      count: integer,
      'options?': options,
    },
  },
  (
    { memberPointer, requiresApart, reduceElements },
    coop: CoopLike,
    T: TypeFn,
    srcWin: Window,
    srcOffset: number,
    srcTeam: Team,
    dstWin: Window,
    dstOffset: number,
    dstTeam: Team,
    count: number,
    options: ReduceCopyOptions,
  ) => {
    const src = (i: number): Ptr => memberPointer(srcWin, T, srcOffset, srcTeam, i);
    const dst = (i: number): Ptr => memberPointer(dstWin, T, dstOffset, dstTeam, i);
    requiresApart(src(srcTeam.rank), dst(dstTeam.rank), count);
    reduceElements(coop, T, { src, nSrc: srcTeam.nRanks, dst, nDst: dstTeam.nRanks }, count, true, options);
  },
);

const ofSymPtrs = deviceFn(
  { name: 'lsaReduceSumCopy', use: { betweenTeams, sameElements, teamOf } },
  (
    { betweenTeams, sameElements, teamOf },
    coop: CoopLike,
    src: SymPtr,
    dst: SymPtr,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    const both = teamOf(of);
    const T = sameElements(src, dst);
    betweenTeams(coop, T, src.window, src.offset, both, dst.window, dst.offset, both, count, options);
  },
);

const ofSymPtrsAndTeams = deviceFn(
  { name: 'lsaReduceSumCopy', use: { betweenTeams, sameElements } },
  (
    { betweenTeams, sameElements },
    coop: CoopLike,
    src: SymPtr,
    srcTeam: Team,
    dst: SymPtr,
    dstTeam: Team,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    const T = sameElements(src, dst);
    betweenTeams(coop, T, src.window, src.offset, srcTeam, dst.window, dst.offset, dstTeam, count, options);
  },
);

const ofWindows = deviceFn(
  { name: 'lsaReduceSumCopy', use: { betweenTeams, teamOf } },
  (
    { betweenTeams, teamOf },
    coop: CoopLike,
    T: TypeFn,
    srcWin: Window,
    srcOffset: number,
    dstWin: Window,
    dstOffset: number,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    const both = teamOf(of);
    betweenTeams(coop, T, srcWin, srcOffset, both, dstWin, dstOffset, both, count, options);
  },
);

/** The forms of `lsaReduceSumCopy`. */
export interface LsaReduceSumCopy {
  /** From and to the members of one team, or of the communicator's load-store team. */
  (coop: CoopLike, src: SymPtr, dst: SymPtr, count: number, of: Team | DevComm, options?: ReduceCopyOptions): void;
  /** From the members of one team to those of another. */
  (
    coop: CoopLike,
    src: SymPtr,
    srcTeam: Team,
    dst: SymPtr,
    dstTeam: Team,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
  /**
   * From byte `srcOffset` on of one window to byte `dstOffset` on of another, or of the same;
   * elements of type T.
   */
  (
    coop: CoopLike,
    type: TypeFn,
    srcWin: Window,
    srcOffset: number,
    dstWin: Window,
    dstOffset: number,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ): void;
}

/**
 * Sums `count` elements over the members of a team, and stores the sums to all of them.
 *
 * @see ncclLsaReduceSumCopy
 */
export const lsaReduceSumCopy: DeviceFn<LsaReduceSumCopy> = forms({
  name: 'reduceCopy.lsaReduceSumCopy',
  forms: [
    ...overTeams({ coop, src: anySymPtr, dst: anySymPtr, count: integer }, ofSymPtrs),
    {
      params: {
        coop,
        src: anySymPtr,
        srcTeam: team,
        dst: anySymPtr,
        dstTeam: team,
        count: integer,
        'options?': options,
      },
      fn: ofSymPtrsAndTeams,
    },
    ...overTeams(
      { coop, type, srcWin: window, srcOffset: addr, dstWin: window, dstOffset: addr, count: integer },
      ofWindows,
    ),
  ],
});

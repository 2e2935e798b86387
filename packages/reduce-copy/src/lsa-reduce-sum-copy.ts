import { team, window, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, type CoopLike, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anySymPtr, coop, integer, options, overTeams, teamOf, type } from './impl/forms.ts';
import { reduce } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { teamWindow } from './impl/region.ts';
import { sameElements } from './impl/same-elements.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const betweenTeams = reduceCopyForm('lsaReduceSumCopy', {
  from: teamWindow,
  to: teamWindow,
  apart: 'own',
  move: reduce({ symmetric: true }),
});

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
    const team = teamOf(of);
    const T = sameElements(src, dst);
    const from = { win: src.window, offset: src.offset, team };
    betweenTeams(coop, T, from, { win: dst.window, offset: dst.offset, team }, count, options);
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
    const from = { win: src.window, offset: src.offset, team: srcTeam };
    betweenTeams(coop, T, from, { win: dst.window, offset: dst.offset, team: dstTeam }, count, options);
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
    const team = teamOf(of);
    const from = { win: srcWin, offset: srcOffset, team };
    betweenTeams(coop, T, from, { win: dstWin, offset: dstOffset, team }, count, options);
  },
);

/** The forms of `lsaReduceSumCopy`. */
export interface LsaReduceSumCopy {
  /** From and to the members of one team, or of the communicator's LSA team. */
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
   * From byte `srcOffset` of a window to byte `dstOffset` of the same or another window, with
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

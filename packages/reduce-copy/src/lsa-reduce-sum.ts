import { window, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anyPointer, anySymPtr, coop, integer, options, overTeams, places, teamOf } from './impl/forms.ts';
import { reduce } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer, teamWindow } from './impl/region.ts';
import { lsaReduceSumLsaCopy } from './lsa-reduce-lsa-copy.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const ofTeam = reduceCopyForm('lsaReduceSum', {
  from: teamWindow,
  to: pointer,
  apart: 'own',
  move: reduce({ symmetric: true }),
});

const ofSymPtr = deviceFn(
  { name: 'lsaReduceSum', use: { ofTeam, teamOf } },
  (
    { ofTeam, teamOf },
    coop: CoopLike,
    src: SymPtr,
    dst: Ptr,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    ofTeam(coop, src.T, { win: src.window, offset: src.offset, team: teamOf(of) }, dst, count, options);
  },
);

const ofWindow = deviceFn(
  { name: 'lsaReduceSum', use: { ofTeam, teamOf } },
  (
    { ofTeam, teamOf, typeOf },
    coop: CoopLike,
    win: Window,
    offset: number,
    dst: Ptr,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    ofTeam(coop, typeOf(dst), { win, offset, team: teamOf(of) }, dst, count, options);
  },
);

const ofPlaces = deviceFn(
  { name: 'lsaReduceSum', use: { lsaReduceSumLsaCopy } },
  (
    { lsaReduceSumLsaCopy, typeOf },
    coop: CoopLike,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: Ptr,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    lsaReduceSumLsaCopy(coop, typeOf(dst), src, nSrc, (_i: number) => dst, 1, count, options);
  },
);

/** The forms of `lsaReduceSum`. */
export interface LsaReduceSum {
  /** From the symmetric pointer at each member of the team, or of the communicator's LSA team. */
  (coop: CoopLike, src: SymPtr, dst: Ptr, count: number, of: Team | DevComm, options?: ReduceCopyOptions): void;
  /** From byte `offset` of a window. The element type is that of `dst`. */
  (
    coop: CoopLike,
    win: Window,
    offset: number,
    dst: Ptr,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ): void;
  /** From the `nSrc` sources `src(i)`. */
  (coop: CoopLike, src: (i: number) => Ptr, nSrc: number, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
}

/**
 * Sums `count` elements over the members of a team into the rank's own memory.
 *
 * @see ncclLsaReduceSum
 */
export const lsaReduceSum: DeviceFn<LsaReduceSum> = forms({
  name: 'reduceCopy.lsaReduceSum',
  forms: [
    ...overTeams({ coop, src: anySymPtr, dst: anyPointer, count: integer }, ofSymPtr),
    ...overTeams({ coop, win: window, offset: addr, dst: anyPointer, count: integer }, ofWindow),
    {
      params: { coop, src: places, nSrc: integer, dst: anyPointer, count: integer, 'options?': options },
      fn: ofPlaces,
    },
  ],
});

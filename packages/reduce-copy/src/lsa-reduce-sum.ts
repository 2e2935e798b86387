import { window, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import {
  addr,
  anyIntegerParam,
  anyPointerParam,
  coopParam,
  forms,
  type CoopLike,
  type DeviceFn,
  type Ptr,
} from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anySymPtr, overTeams, teamOf } from './impl/forms.ts';
import { reduce } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer, teamWindow } from './impl/region.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';
import { sumOfPlaces } from './sum-of-places.ts';

const ofTeam = reduceCopyForm('lsaReduceSum', {
  from: teamWindow,
  to: pointer,
  apart: 'own',
  move: reduce({ symmetric: true }),
});

const name = 'lsaReduceSum';
const use = { ofTeam, teamOf };
const to = { dst: anyPointerParam, count: anyIntegerParam };

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

/** @see {@link ReduceCopy.lsaReduceSum} */
export const lsaReduceSum: DeviceFn<LsaReduceSum> = forms({
  name: 'reduceCopy.lsaReduceSum',
  forms: [
    ...overTeams(
      { name, use, params: { coop: coopParam, src: anySymPtr, ...to } },
      ({ ofTeam, teamOf }, { coop, src, dst, count, of, options }) => {
        ofTeam(coop, src.T, { win: src.window, offset: src.offset, team: teamOf(of) }, dst, count, options);
      },
    ),
    ...overTeams(
      { name, use, params: { coop: coopParam, win: window, offset: addr, ...to } },
      ({ ofTeam, teamOf, typeOf }, { coop, win, offset, dst, count, of, options }) => {
        ofTeam(coop, typeOf(dst), { win, offset, team: teamOf(of) }, dst, count, options);
      },
    ),
    sumOfPlaces(name),
  ],
});

import { team, window, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import {
  addr,
  anyIntegerParam,
  coopParam,
  form,
  forms,
  typeParam,
  type CoopLike,
  type DeviceFn,
  type TypeFn,
} from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anySymPtr, options, overTeams, teamOf } from './impl/forms.ts';
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

const name = 'lsaReduceSumCopy';
const use = { betweenTeams, sameElements, teamOf };

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

/** @see {@link ReduceCopy.lsaReduceSumCopy} */
export const lsaReduceSumCopy: DeviceFn<LsaReduceSumCopy> = forms({
  name: 'reduceCopy.lsaReduceSumCopy',
  forms: [
    ...overTeams(
      { name, use, params: { coop: coopParam, src: anySymPtr, dst: anySymPtr, count: anyIntegerParam } },
      ({ betweenTeams, sameElements, teamOf }, { coop, src, dst, count, of, options }) => {
        const team = teamOf(of);
        const T = sameElements(src, dst);
        const from = { win: src.window, offset: src.offset, team };
        betweenTeams(coop, T, from, { win: dst.window, offset: dst.offset, team }, count, options);
      },
    ),
    form(
      {
        name,
        use,
        params: {
          coop: coopParam,
          src: anySymPtr,
          srcTeam: team,
          dst: anySymPtr,
          dstTeam: team,
          count: anyIntegerParam,
          'options?': options,
        },
      },
      ({ betweenTeams, sameElements }, { coop, src, srcTeam, dst, dstTeam, count, options }) => {
        const T = sameElements(src, dst);
        const from = { win: src.window, offset: src.offset, team: srcTeam };
        betweenTeams(coop, T, from, { win: dst.window, offset: dst.offset, team: dstTeam }, count, options);
      },
    ),
    ...overTeams(
      {
        name,
        use,
        params: {
          coop: coopParam,
          type: typeParam,
          srcWin: window,
          srcOffset: addr,
          dstWin: window,
          dstOffset: addr,
          count: anyIntegerParam,
        },
      },
      ({ betweenTeams, teamOf }, call) => {
        const team = teamOf(call.of);
        const from = { win: call.srcWin, offset: call.srcOffset, team };
        const to = { win: call.dstWin, offset: call.dstOffset, team };
        betweenTeams(call.coop, call.type, from, to, call.count, call.options);
      },
    ),
  ],
});

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
import { copyToEach } from './impl/copy-to-each.ts';
import { anySymPtr, overTeams, teamOf } from './impl/forms.ts';
import { copy } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer, teamWindow } from './impl/region.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const toTeam = reduceCopyForm('lsaCopy', {
  from: pointer,
  to: teamWindow,
  apart: 'own',
  move: copy({ symmetric: true }),
});

const name = 'lsaCopy';
const use = { toTeam, teamOf };
const from = { coop: coopParam, src: anyPointerParam };

/** The forms of `lsaCopy`. */
export interface LsaCopy {
  /** To the symmetric pointer at each member of the team, or of the communicator's LSA team. */
  (coop: CoopLike, src: Ptr, dst: SymPtr, count: number, of: Team | DevComm, options?: ReduceCopyOptions): void;
  /** To byte `offset` of a window. The element type is that of `src`. */
  (
    coop: CoopLike,
    src: Ptr,
    win: Window,
    offset: number,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ): void;
  /** To the `nDst` destinations `dst(i)`. */
  (coop: CoopLike, src: Ptr, dst: (i: number) => Ptr, nDst: number, count: number, options?: ReduceCopyOptions): void;
}

/** Implements {@link ReduceCopy.lsaCopy}. */
export const lsaCopy: DeviceFn<LsaCopy> = forms({
  name: 'reduceCopy.lsaCopy',
  forms: [
    ...overTeams(
      { name, use, params: { ...from, dst: anySymPtr, count: anyIntegerParam } },
      ({ toTeam, teamOf }, { coop, src, dst, count, of, options }) => {
        toTeam(coop, dst.T, src, { win: dst.window, offset: dst.offset, team: teamOf(of) }, count, options);
      },
    ),
    ...overTeams(
      { name, use, params: { ...from, win: window, offset: addr, count: anyIntegerParam } },
      ({ toTeam, teamOf, typeOf }, { coop, src, win, offset, count, of, options }) => {
        toTeam(coop, typeOf(src), src, { win, offset, team: teamOf(of) }, count, options);
      },
    ),
    copyToEach,
  ],
});

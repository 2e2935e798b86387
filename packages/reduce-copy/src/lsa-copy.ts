import { window, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { copyToPlaces } from './impl/copy-to-places.ts';
import { anyPointer, anySymPtr, coop, integer, options, overTeams, places, teamOf } from './impl/forms.ts';
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

const toSymPtr = deviceFn(
  { name: 'lsaCopy', use: { toTeam, teamOf } },
  (
    { toTeam, teamOf },
    coop: CoopLike,
    src: Ptr,
    dst: SymPtr,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    toTeam(coop, dst.T, src, { win: dst.window, offset: dst.offset, team: teamOf(of) }, count, options);
  },
);

const toWindow = deviceFn(
  { name: 'lsaCopy', use: { toTeam, teamOf } },
  (
    { toTeam, teamOf, typeOf },
    coop: CoopLike,
    src: Ptr,
    win: Window,
    offset: number,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    toTeam(coop, typeOf(src), src, { win, offset, team: teamOf(of) }, count, options);
  },
);

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

/**
 * Copies `count` elements to the members of a team without changing a bit.
 *
 * @see ncclLsaCopy
 */
export const lsaCopy: DeviceFn<LsaCopy> = forms({
  name: 'reduceCopy.lsaCopy',
  forms: [
    ...overTeams({ coop, src: anyPointer, dst: anySymPtr, count: integer }, toSymPtr),
    ...overTeams({ coop, src: anyPointer, win: window, offset: addr, count: integer }, toWindow),
    {
      params: { coop, src: anyPointer, dst: places, nDst: integer, count: integer, 'options?': options },
      fn: copyToPlaces,
    },
  ],
});

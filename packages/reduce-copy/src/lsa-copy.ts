import { team, window, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, intrinsic, forms, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { requiresApart } from './impl/contracts.ts';
import { copyElements } from './impl/copy-elements.ts';
import { copyToPlaces } from './impl/copy-to-places.ts';
import {
  anyPointer,
  anySymPtr,
  coop,
  elements,
  integer,
  memberPointer,
  options,
  overTeams,
  places,
  teamOf,
  type,
} from './impl/forms.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const ofTeam: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: Ptr,
    win: Window,
    offset: number,
    count: number,
    team: Team,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.lsaCopy',
    use: { memberPointer, requiresApart, copyElements },
    params: { coop, type, src: elements, win: window, offset: addr, count: integer, team, 'options?': options },
  },
  (
    { memberPointer, requiresApart, copyElements },
    coop: CoopLike,
    T: TypeFn,
    src: Ptr,
    win: Window,
    offset: number,
    count: number,
    team: Team,
    options: ReduceCopyOptions,
  ) => {
    const dst = (i: number): Ptr => memberPointer(win, T, offset, team, i);
    requiresApart(src, dst(team.rank), count);
    copyElements(coop, T, src, dst, team.nRanks, count, true, options.unroll);
  },
);

const toSymPtr = deviceFn(
  { name: 'lsaCopy', use: { ofTeam, teamOf } },
  (
    { ofTeam, teamOf },
    coop: CoopLike,
    src: Ptr,
    dst: SymPtr,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    ofTeam(coop, dst.T, src, dst.window, dst.offset, count, teamOf(of), options);
  },
);

const toWindow = deviceFn(
  { name: 'lsaCopy', use: { ofTeam, teamOf } },
  (
    { ofTeam, teamOf, typeOf },
    coop: CoopLike,
    src: Ptr,
    win: Window,
    offset: number,
    count: number,
    of: Team | DevComm,
    options?: ReduceCopyOptions,
  ) => {
    ofTeam(coop, typeOf(src), src, win, offset, count, teamOf(of), options);
  },
);

/** The forms of `lsaCopy`. */
export interface LsaCopy {
  /**
   * To the symmetric pointer at each member of the team, or of the communicator's load-store team.
   */
  (coop: CoopLike, src: Ptr, dst: SymPtr, count: number, of: Team | DevComm, options?: ReduceCopyOptions): void;
  /** To byte `offset` of a window; the elements have the element type of `src`. */
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
 * Copies `count` elements to the members of a team, bit by bit.
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

import { devComm, symPtr, team, teamLsa, type DevComm } from '@nccl-ts/devcomm';
import {
  deviceFn,
  intrinsic,
  forms,
  u8,
  type Accept,
  type DeviceFn,
  type Form,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Team } from '@nccl-ts/topology';
import type { Window } from '@nccl-ts/devcomm';

export const coop: Accept = { kind: 'coop' };
export const type: Accept = { kind: 'type' };
/** A pointer to elements of the argument `type`. */
export const elements: Accept = { kind: 'pointerTo', type: 'type' };
export const anyPointer: Accept = { kind: 'anyPointer' };
/** Counts of elements keep the type of the caller's argument. */
export const integer: Accept = { kind: 'anyInteger' };
export const places: Accept = { kind: 'function' };
export const options: Accept = {
  kind: 'options',
  members: { unroll: { kind: 'constant' }, sources: { kind: 'constant' } },
};
export const reduceOptions: Accept = {
  kind: 'options',
  members: {
    unroll: { kind: 'constant' },
    sources: { kind: 'constant' },
    before: { kind: 'function' },
    after: { kind: 'function' },
  },
};
/** Selects a form that does not depend on the element type. */
export const anySymPtr: Accept = symPtr(u8);

/** The team itself, or the LSA team of a device communicator. */
export const teamOf: DeviceFn<(of: Team | DevComm) => Team> = forms({
  name: 'teamOf',
  forms: [
    { params: { of: team }, fn: deviceFn({ name: 'sameTeam' }, (_context, of: Team) => of) },
    { params: { of: devComm }, fn: teamLsa },
  ],
});

/** Makes two forms: one that ends with a team, and one that ends with a device communicator. */
export function overTeams(params: Readonly<Record<string, Accept>>, fn: DeviceFn<unknown>): readonly Form[] {
  return [
    { params: { ...params, team, 'options?': options }, fn },
    { params: { ...params, comm: devComm, 'options?': options }, fn },
  ];
}

/** The address in the window's copy at the team's member `i`. */
export const memberPointer: DeviceFn<(win: Window, type: TypeFn, offset: number, team: Team, i: number) => Ptr> =
  deviceFn(
    { name: 'memberPointer', use: { lsa } },
    ({ lsa }, win: Window, T: TypeFn, offset: number, team: Team, i: number) =>
      lsa.pointer(win, T, offset, win.lsaRank + (i - team.rank) * team.stride),
  );

/**
 * Returns `p`, the result of an author's function, if it is a pointer to elements of `type`.
 * Otherwise reports a diagnostic.
 */
export const typedPlace: DeviceFn<(type: TypeFn, pointer: Ptr) => Ptr> = intrinsic(
  { name: 'reduceCopy.place', pure: true, params: { type, pointer: elements } },
  (_context, _type: TypeFn, pointer: Ptr) => pointer,
);

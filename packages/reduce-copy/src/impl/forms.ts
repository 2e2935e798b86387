import { devComm, symPtr, team, teamLsa, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import {
  constantParam,
  deviceFn,
  form,
  forms,
  intrinsic,
  typeParam,
  u8,
  type AnyValueParam,
  type Context,
  type DeviceFn,
  type DeviceParams,
  type OverloadForm,
  type FunctionParam,
  type GivenOf,
  type OptionsParam,
  type PointerToParam,
  type Ptr,
  type StructParam,
  type TypeFn,
  type Use,
} from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Team } from '@nccl-ts/topology';
import type { ReduceCopyOptions, ReduceOptions } from '../reduce-copy-options.ts';
import type { PointerAt } from './in-packs.ts';

/** A pointer to elements of the argument `type`. */
export const elements: PointerToParam = { kind: 'pointerTo', type: 'type' };
export const pointerFunction: FunctionParam<PointerAt> = { kind: 'function' };
const plain = { unroll: constantParam, sources: constantParam };
export const options: OptionsParam<ReduceCopyOptions> = { kind: 'options', members: plain };
const change = { kind: 'function' } as const;
export const reduceOptions: OptionsParam<ReduceOptions> = {
  kind: 'options',
  members: { ...plain, before: change, after: change },
};
/** Selects a form that does not depend on the element type. */
export const anySymPtr: StructParam<SymPtr> = symPtr(u8);

/** The team itself, or the LSA team of a device communicator. */
export const teamOf: DeviceFn<(of: Team | DevComm) => Team> = forms({
  name: 'teamOf',
  forms: [
    { params: { of: team }, fn: deviceFn({ name: 'sameTeam' }, (_context, of: Team) => of) },
    { params: { of: devComm }, fn: teamLsa },
  ],
});

/** The last parameters of a form over a team. */
interface Ending {
  readonly of: AnyValueParam<Team | DevComm>;
  readonly 'options?': OptionsParam<ReduceCopyOptions>;
}

const ending: Ending = { of: { kind: 'anyValue' }, 'options?': options };

/**
 * Makes two forms: one that ends with a team, and one that ends with a device communicator. The
 * body finds either as `of`.
 */
export function overTeams<const U extends Use, const P extends DeviceParams>(
  { name, use, params }: { readonly name: string; readonly use: U; readonly params: P },
  body: (context: Context<U>, call: GivenOf<P & Ending>) => unknown,
): readonly OverloadForm[] {
  const { fn } = form({ name, use, params: { ...params, ...ending } }, body);
  return [
    { params: { ...params, team, 'options?': options }, fn },
    { params: { ...params, comm: devComm, 'options?': options }, fn },
  ];
}

/** The address in the window's copy at the team's member `i`. */
export const memberPointer: DeviceFn<(win: Window, type: TypeFn, offset: number, team: Team, i: number) => Ptr> =
  deviceFn({ name: 'memberPointer', use: { lsa } }, ({ lsa }, win, T, offset, team, i) =>
    lsa.pointer(win, T, offset, win.lsaRank + (i - team.rank) * team.stride),
  );

/**
 * Returns `p`, the result of an author's function, if it is a pointer to elements of `type`.
 * Otherwise reports a diagnostic.
 */
export const typedPlace: DeviceFn<(type: TypeFn, pointer: Ptr) => Ptr> = intrinsic(
  { name: 'reduceCopy.place', pure: true, params: { type: typeParam, pointer: elements } },
  (_context, { pointer }) => pointer,
);

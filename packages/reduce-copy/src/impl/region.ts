import { team, window, type Window } from '@nccl-ts/devcomm';
import {
  addr,
  anyIntegerParam,
  deviceFn,
  type Accept,
  type DeviceFn,
  type Phantom,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { requiresStride } from './contracts.ts';
import { elements, memberPointer, pointerFunction, typedPlace } from './forms.ts';
import type { PointerAt } from './in-packs.ts';

/** The sources or the destinations of a call. */
export interface Region {
  readonly at: PointerAt;
  readonly n: number;
  /** The index of this rank's own source or destination. */
  readonly own: number;
  /** Requires that the parts of the region, `count` elements each, do not overlap each other. */
  readonly requires: (count: number) => void;
}

/**
 * A kind of region: the parameters that a call passes for it, and the addresses that follow from
 * them.
 */
export interface RegionKind<Given> {
  readonly accept: Accept & Phantom<Given>;
  readonly find: DeviceFn<(type: TypeFn, given: Given) => Region>;
}

/** A region of one address. */
export const pointer: RegionKind<Ptr> = {
  accept: elements,
  find: deviceFn({ name: 'pointer' }, (_context, _T: TypeFn, given: Ptr) => ({
    at: (_i: number) => given,
    n: 1,
    own: 0,
    requires: (_count: number) => {},
  })),
};

/** Byte `offset` of a window, at the members of a team. */
export interface TeamWindow {
  readonly win: Window;
  readonly offset: number;
  readonly team: Team;
}

/** The copies of a window at the members of a team. */
export const teamWindow: RegionKind<TeamWindow> = {
  accept: { kind: 'options', members: { win: window, offset: addr, team } },
  find: deviceFn(
    { name: 'teamWindow', use: { memberPointer } },
    ({ memberPointer }, T: TypeFn, { win, offset, team }: TeamWindow) => ({
      at: (i: number) => memberPointer(win, T, offset, team, i),
      n: team.nRanks,
      own: team.rank,
      requires: (_count: number) => {},
    }),
  ),
};

/** `nSrc` sources, each `srcDispl` elements after the previous one, the first at `srcBase`. */
export interface SrcStride {
  readonly nSrc: number;
  readonly srcBase: Ptr;
  readonly srcDispl: number;
}

/** Sources at equal distances, which may overlap. */
export const srcStride: RegionKind<SrcStride> = {
  accept: { kind: 'options', members: { nSrc: anyIntegerParam, srcBase: elements, srcDispl: anyIntegerParam } },
  find: deviceFn({ name: 'srcStride' }, (_context, _T: TypeFn, { nSrc, srcBase, srcDispl }: SrcStride) => ({
    at: (i: number) => srcBase.offset(i * srcDispl),
    n: nSrc,
    own: 0,
    requires: (_count: number) => {},
  })),
};

/** `nDst` destinations, each `dstDispl` elements after the previous one, the first at `dstBase`. */
export interface DstStride {
  readonly nDst: number;
  readonly dstBase: Ptr;
  readonly dstDispl: number;
}

/** Destinations at equal distances. */
export const dstStride: RegionKind<DstStride> = {
  accept: { kind: 'options', members: { nDst: anyIntegerParam, dstBase: elements, dstDispl: anyIntegerParam } },
  find: deviceFn(
    { name: 'dstStride', use: { requiresStride } },
    ({ requiresStride }, _T: TypeFn, { nDst, dstBase, dstDispl }: DstStride) => ({
      at: (i: number) => dstBase.offset(i * dstDispl),
      n: nDst,
      own: 0,
      requires: (count: number) => {
        requiresStride(nDst, dstDispl, count);
      },
    }),
  ),
};

/** `n` addresses that a function of the author returns. */
export const regionOf: DeviceFn<(type: TypeFn, pointerAt: PointerAt, n: number) => Region> = deviceFn(
  { name: 'regionOf', use: { typedPlace } },
  ({ typedPlace }, T, place, n) => ({
    at: (i: number) => typedPlace(T, place(i)),
    n,
    own: 0,
    requires: (_count: number) => {},
  }),
);

/** The `nDst` destinations `dst(i)`. */
export interface Destinations {
  readonly dst: PointerAt;
  readonly nDst: number;
}

/** Destinations that a function of the author returns. */
export const destinations: RegionKind<Destinations> = {
  accept: { kind: 'options', members: { dst: pointerFunction, nDst: anyIntegerParam } },
  find: deviceFn({ name: 'destinations', use: { regionOf } }, ({ regionOf }, T: TypeFn, { dst, nDst }: Destinations) =>
    regionOf(T, dst, nDst),
  ),
};

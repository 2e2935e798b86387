import {
  addr,
  deviceFn,
  multicastPointer,
  structParam,
  windowPointer,
  withFields,
  type DeviceMethod,
  type Ptr,
  type StructParam,
  type TypeFn,
  type ValueParam,
} from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { KernelDevComm } from './dev-comm.ts';
import type { MultimemHandle } from './multimem-handle.ts';
import { windowParam, type KernelWindow, type WindowArg } from './window.ts';

/**
 * A symmetric pointer as kernels see it: a window and a byte offset, the same on every rank.
 *
 * @see ncclSymPtr
 */
export interface SymPtr {
  readonly window: KernelWindow;
  readonly offset: number;
  /** The type of the elements. */
  readonly T: TypeFn;
  localPtr(): Ptr;
  /** Returns the pointer at an LSA rank. */
  lsaPtr(peer: number): Ptr;
  /**
   * Returns the pointer at a world rank, which must be in the calling rank's LSA domain (not
   * checked).
   */
  peerPtr(peer: number): Ptr;
  /** Returns the multicast address over the ranks of `handle`; null for a null handle. */
  multimemPtr(handle: MultimemHandle): Ptr;
  /** Returns the multicast address over the LSA team; null if `comm` has no `lsaMultimem`. */
  lsaMultimemPtr(comm: KernelDevComm): Ptr;
  /**
   * Returns the pointer at member `peer` of `team`, which must be in the calling rank's LSA domain
   * (not checked).
   */
  teamPtr(team: Team, peer: number): Ptr;
  /** Returns the symmetric pointer `n` elements further, or back if `n` is negative. */
  add(n: number): SymPtr;
  /** Returns the same position with another element type. */
  cast(type: TypeFn): SymPtr;
}

/** A symmetric pointer as an argument of a launch: the result of `window.symPtr(...)`. */
export interface SymPtrArg {
  readonly window: WindowArg;
  readonly offset: number;
}

/** Returns the parameter type for a symmetric pointer to elements of `type`. */
export function symPtr(type: ValueParam): StructParam<SymPtr, SymPtrArg> {
  return structParam({ struct: 'SymPtr', fields: { window: windowParam, offset: addr }, types: { T: type }, methods });
}

type Method<Name extends Exclude<keyof SymPtr, 'window' | 'offset' | 'T'>> = DeviceMethod<SymPtr, SymPtr[Name]>;

const localPtr: Method<'localPtr'> = deviceFn(
  { name: 'SymPtr.localPtr', use: { windowPointer } },
  ({ windowPointer }, self) => windowPointer(self.window, self.T, self.offset, self.window.lsaRank),
);

const lsaPtr: Method<'lsaPtr'> = deviceFn(
  { name: 'SymPtr.lsaPtr', use: { windowPointer } },
  ({ windowPointer }, self, peer) => windowPointer(self.window, self.T, self.offset, peer),
);

const peerPtr: Method<'peerPtr'> = deviceFn(
  { name: 'SymPtr.peerPtr', use: { windowPointer } },
  ({ windowPointer }, self, peer) =>
    windowPointer(self.window, self.T, self.offset, self.window.lsaRank + (peer - self.window.worldRank)),
);

const multimemPtr: Method<'multimemPtr'> = deviceFn(
  { name: 'SymPtr.multimemPtr', use: { multicastPointer } },
  ({ multicastPointer }, self, handle) => multicastPointer(self.window, self.T, self.offset, handle.mcBasePtr),
);

const lsaMultimemPtr: Method<'lsaMultimemPtr'> = deviceFn(
  { name: 'SymPtr.lsaMultimemPtr', use: { multicastPointer } },
  ({ multicastPointer }, self, comm) => multicastPointer(self.window, self.T, self.offset, comm.lsaMultimem.mcBasePtr),
);

const teamPtr: Method<'teamPtr'> = deviceFn(
  { name: 'SymPtr.teamPtr', use: { windowPointer } },
  ({ windowPointer }, self, team, peer) =>
    windowPointer(self.window, self.T, self.offset, self.window.lsaRank + (peer - team.rank) * team.stride),
);

const add: Method<'add'> = deviceFn(
  { name: 'SymPtr.add', use: { withFields } },
  ({ withFields, addr, sizeOf }, self, n) =>
    // Addresses are never negative, so a step back is a subtraction.
    withFields(self, {
      offset: n < 0 ? self.offset - addr(-n) * sizeOf(self.T) : self.offset + addr(n) * sizeOf(self.T),
    }),
);

const cast: Method<'cast'> = deviceFn({ name: 'SymPtr.cast', use: { withFields } }, ({ withFields }, self, type) =>
  withFields(self, { T: type }),
);

const methods = {
  localPtr,
  lsaPtr,
  peerPtr,
  teamPtr,
  multimemPtr,
  lsaMultimemPtr,
  add,
  cast,
};

import {
  addr,
  deviceFn,
  structParam,
  windowPointer,
  type DeviceFn,
  type Ptr,
  type StructParam,
  type TypeFn,
  type ValueParam,
} from '@nccl-ts/kernel';
import { window, type Window, type WindowArg } from './window.ts';

/**
 * A symmetric pointer as kernels see it: a window and a byte offset, the same on every rank.
 *
 * @see ncclSymPtr
 */
export interface SymPtr {
  readonly window: Window;
  readonly offset: number;
  /** The type of the elements. */
  readonly T: TypeFn;
  localPtr(): Ptr;
  /** At an LSA rank. */
  lsaPtr(peer: number): Ptr;
  /** At a world rank, which must be in the calling rank's LSA domain (not checked). */
  peerPtr(peer: number): Ptr;
}

/** A symmetric pointer as the host passes it: what `window.symPtr(...)` gives. */
export interface SymPtrArg {
  readonly window: WindowArg;
  readonly offset: number;
}

/** The type of a parameter that takes a symmetric pointer to elements of `type`. */
export function symPtr(type: ValueParam): StructParam<SymPtr, SymPtrArg> {
  return structParam({ struct: 'SymPtr', fields: { window, offset: addr }, types: { T: type }, methods });
}

const localPtr: DeviceFn<(self: SymPtr) => Ptr> = deviceFn(
  { name: 'SymPtr.localPtr', use: { windowPointer } },
  ({ windowPointer }, self: SymPtr) => windowPointer(self.window, self.T, self.offset, self.window.lsaRank),
);

const lsaPtr: DeviceFn<(self: SymPtr, peer: number) => Ptr> = deviceFn(
  { name: 'SymPtr.lsaPtr', use: { windowPointer } },
  ({ windowPointer }, self: SymPtr, peer: number) => windowPointer(self.window, self.T, self.offset, peer),
);

const peerPtr: DeviceFn<(self: SymPtr, peer: number) => Ptr> = deviceFn(
  { name: 'SymPtr.peerPtr', use: { windowPointer } },
  ({ windowPointer }, self: SymPtr, peer: number) =>
    windowPointer(self.window, self.T, self.offset, self.window.lsaRank + (peer - self.window.worldRank)),
);

const methods: StructParam['methods'] = { localPtr, lsaPtr, peerPtr };

import type { Communicator, Stream } from '@nccl-ts/communicator';
import type { BufferPointer } from '../buffer.ts';
import type { CollectiveCall } from '../call.ts';
import type { CollectiveNote } from './collective-ledger.ts';
import type { OneSided } from './one-sided-runs.ts';
import type { SelectedAlgorithm } from './selected-algorithm.ts';

/** A send or receive that was requested. */
export interface PointToPoint {
  readonly kind: 'send' | 'recv';
  readonly data: BufferPointer;
  /** The number of elements, of `data`'s type. */
  readonly count: number;
  readonly bytes: number;
  /** A rank of the communicator. */
  readonly peer: number;
  readonly stream: Stream | undefined;
}

/** A collective that was requested, and its way. */
export interface PlannedCall {
  readonly kind: 'collective';
  readonly call: CollectiveCall;
  /** `undefined` for a call without elements, which has no work. */
  readonly selected: SelectedAlgorithm | undefined;
  readonly note: CollectiveNote;
  /** The purpose of the launch, if it is not the collective itself. */
  readonly label?: string;
}

/** A call with at least one element. */
export interface LaunchedCall extends PlannedCall {
  readonly selected: SelectedAlgorithm;
}

/** An operation that a group holds back until it ends. */
export type DeferredOperation = PointToPoint | PlannedCall | OneSided;

/**
 * The operations that are being collected for a communicator, and the nesting depth of its groups.
 */
interface OpenGroup {
  depth: number;
  held: DeferredOperation[];
}

const groups = new WeakMap<Communicator, OpenGroup>();

export function beginGroup(comm: Communicator): void {
  const open = groups.get(comm);
  if (open === undefined) groups.set(comm, { depth: 1, held: [] });
  else open.depth++;
}

/** Leaves a group. The outermost group returns the operations that it held back. */
export function leaveGroup(comm: Communicator): readonly DeferredOperation[] {
  const open = groups.get(comm);
  if (open === undefined) return [];
  open.depth--;
  if (open.depth > 0) return [];
  groups.delete(comm);
  return open.held;
}

/** True if a group of the communicator is open. */
export function isGrouped(comm: Communicator): boolean {
  return groups.has(comm);
}

/**
 * Holds an operation back until the group ends, and returns true. Returns false outside a group:
 * then the caller must run the operation at once.
 */
export function holdBack(comm: Communicator, held: DeferredOperation): boolean {
  const open = groups.get(comm);
  open?.held.push(held);
  return open !== undefined;
}

/** True while a group of the communicator is open. */
export function isInGroup(comm: Communicator): boolean {
  return groups.has(comm);
}

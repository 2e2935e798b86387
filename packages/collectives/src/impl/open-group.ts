import type { Communicator, Stream } from '@nccl-ts/communicator';
import type { BufferPointer } from '../buffer.ts';
import type { CollectiveCall } from '../call.ts';
import type { CollectiveNote } from './collective-ledger.ts';
import type { OneSided } from './one-sided-runs.ts';
import type { Way } from './ways.ts';

/** A requested send or receive. */
export interface PointToPoint {
  readonly kind: 'send' | 'recv';
  readonly data: BufferPointer;
  /** Elements of `data`'s type. */
  readonly count: number;
  readonly bytes: number;
  /** A rank of the communicator. */
  readonly peer: number;
  readonly stream: Stream | undefined;
}

/** A requested collective, and its way. */
export interface PlannedCall {
  readonly kind: 'collective';
  readonly call: CollectiveCall;
  /** `undefined` for no elements, which need no work. */
  readonly way: Way | undefined;
  readonly note: CollectiveNote;
}

/** One of at least one element. */
export interface LaunchedCall extends PlannedCall {
  readonly way: Way;
}

/** An operation that a group holds back until it ends. */
export type Held = PointToPoint | PlannedCall | OneSided;

/**
 * The operations that are being collected for a communicator, and the nesting depth of its groups.
 */
interface OpenGroup {
  depth: number;
  held: Held[];
}

const groups = new WeakMap<Communicator, OpenGroup>();

export function enterGroup(comm: Communicator): void {
  const open = groups.get(comm);
  if (open === undefined) groups.set(comm, { depth: 1, held: [] });
  else open.depth++;
}

/** Leaves a group; the outermost one returns the operations that were held back. */
export function leaveGroup(comm: Communicator): readonly Held[] {
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

/** True if `held` is kept for the end of a group; otherwise the caller must do it at once. */
export function holdBack(comm: Communicator, held: Held): boolean {
  const open = groups.get(comm);
  open?.held.push(held);
  return open !== undefined;
}

/** True between the start and the end of a group of the communicator. */
export function isInGroup(comm: Communicator): boolean {
  return groups.has(comm);
}

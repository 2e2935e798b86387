import type { Communicator, Stream } from '@nccl-ts/communicator';
import type { BufferPointer } from '../buffer.ts';
import type { CollectiveCall } from '../call.ts';
import type { CollectiveNote } from './collective-ledger.ts';
import type { OneSided } from './one-sided-runs.ts';
import type { Way } from './ways.ts';

/** A send or a receive that was asked for. */
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

/** A collective that was asked for, and how it is going to be done. */
export interface PlannedCall {
  readonly kind: 'collective';
  readonly call: CollectiveCall;
  /** `undefined` of no elements: nothing is done. */
  readonly way: Way | undefined;
  readonly note: CollectiveNote;
}

/** One of at least one element. */
export interface LaunchedCall extends PlannedCall {
  readonly way: Way;
}

/** Something that a group holds back until it ends. */
export type Held = PointToPoint | PlannedCall | OneSided;

/** What is being collected for a communicator, and how deep its groups are nested. */
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

/** Leaves a group; the outermost gives what was held back. */
export function leaveGroup(comm: Communicator): readonly Held[] {
  const open = groups.get(comm);
  if (open === undefined) return [];
  open.depth--;
  if (open.depth > 0) return [];
  groups.delete(comm);
  return open.held;
}

/** Whether `held` is kept for the end of a group; if not, it is to be done at once. */
export function holdBack(comm: Communicator, held: Held): boolean {
  const open = groups.get(comm);
  open?.held.push(held);
  return open !== undefined;
}

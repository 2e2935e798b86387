import type { Communicator } from '@nccl-ts/communicator';
import { isSymPtr } from '@nccl-ts/window';
import type { Buffer } from '../buffer.ts';
import { noOptions, type CollectiveRequest } from '../call.ts';
import type { SelectionRule } from '../selection/selection-rule.ts';
import type { AgainLaunch } from './launch-collectives.ts';
import type { LaunchedCall } from './open-group.ts';
import { selectionOf } from './selected-algorithm.ts';

/**
 * The number of calls that are kept for a communicator. Programs rarely rotate through more
 * buffers.
 */
const MOST_RECORDED = 8;

/** A call that was made before with the same objects. */
export interface RepeatedCall extends AgainLaunch {
  readonly request: CollectiveRequest;
  readonly rules: readonly SelectionRule[];
  readonly planned: LaunchedCall;
}

interface RecordedCalls {
  readonly calls: RepeatedCall[];
  /** The index at which the next call is kept. */
  next: number;
}

const recordedCalls = new WeakMap<Communicator, RecordedCalls>();

/** Returns the kept launch of an equal call, if all that was checked for it still holds. */
export function repeatedCall(comm: Communicator, request: CollectiveRequest): RepeatedCall | undefined {
  if (request.options !== noOptions) return undefined;
  const known = recordedCalls.get(comm);
  if (known === undefined) return undefined;
  const rules = selectionOf(comm);
  const found = known.calls.find((call) => call.rules === rules && isSame(call.request, request));
  if (found === undefined) return undefined;
  return isOpen(request.send) && isOpen(request.recv) ? found : undefined;
}

/** Keeps a call for the next call with the same objects, provided that nothing can change them. */
export function keepCall(comm: Communicator, request: CollectiveRequest, planned: LaunchedCall): void {
  if (request.options !== noOptions || !isFixed(request.send) || !isFixed(request.recv)) return;
  let known = recordedCalls.get(comm);
  if (known === undefined) {
    known = { calls: [], next: 0 };
    recordedCalls.set(comm, known);
  }
  known.calls[known.next] = { request, rules: selectionOf(comm), planned, options: undefined, prepared: undefined };
  known.next = (known.next + 1) % MOST_RECORDED;
}

function isSame(a: CollectiveRequest, b: CollectiveRequest): boolean {
  return (
    a.send === b.send &&
    a.recv === b.recv &&
    a.count === b.count &&
    a.op === b.op &&
    a.name === b.name &&
    a.root === b.root
  );
}

function isOpen(buffer: Buffer): boolean {
  return buffer.kind === 'window' ? buffer.isOpen : buffer.window.isOpen;
}

/**
 * True if the buffer always begins at the same location. A window does, and so does a frozen
 * pointer.
 */
function isFixed(buffer: Buffer): boolean {
  return isSymPtr(buffer) ? Object.isFrozen(buffer) : buffer.kind === 'window';
}

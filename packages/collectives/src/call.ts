import type { Communicator } from '@nccl-ts/communicator';
import {
  collectiveShapes,
  expectInteger,
  NcclError,
  reading,
  scalarInfo,
  showValue,
  takeOptions,
  type CollectiveName,
  type ScalarKind,
} from '@nccl-ts/core';
import type { Algorithm } from './algorithms/algorithm.ts';
import { overlap, pointerTo, type Buffer, type BufferPointer } from './buffer.ts';
import type { StreamOptions } from './stream-options.ts';
import { resolveOp, type ReduceOp, type ResolvedOp } from './red-op.ts';

/**
 * The options of every collective, which are its last argument.
 *
 * All ranks must make the same calls in the same order: the same collective, count, type, operator,
 * root and algorithm. Before a launch, the n-th call of a rank is compared with the n-th calls of
 * the other ranks in its process. If they differ, the later call fails with `NCCL_INVALID_USAGE`.
 * The message names both ranks and their calls, and a check reports misuse with the call sites. The
 * earlier call stays launched and waits: catch the error and make the right call, or abort.
 *
 * The comparison leaves out calls of ranks in other processes, buffers, factors of operators, and
 * streams. It stops on a communicator when a graph captures one of its collectives, or one cannot
 * be launched.
 */
export interface CollectiveOptions extends StreamOptions {
  /** The algorithm to use instead of the selected one. All ranks must pass the same. */
  readonly algorithm?: Algorithm;
  /**
   * If false and `algorithm` does not support the call, the selection decides, as if you had not
   * set `algorithm`. By default such a call fails.
   *
   * @see ncclCollConfig_t
   */
  readonly forceAlgorithm?: boolean;
  /**
   * The smallest and the largest number of CTAs of the call, which replace those of the selection.
   * All ranks must pass the same. Calls of a group that share a launch use the largest of their
   * numbers. They have no effect on a simulator that runs the collective without a kernel.
   *
   * @see ncclCollConfig_t
   */
  readonly minCtas?: number;
  readonly maxCtas?: number;
}

/**
 * The options of calls that pass none. It is always the same object, so that the library recognises
 * equal calls.
 */
export const noOptions: CollectiveOptions = /* @__PURE__ */ Object.freeze({});

/** A request for a collective. */
export interface CollectiveRequest {
  readonly name: CollectiveName;
  readonly send: Buffer;
  readonly recv: Buffer;
  readonly count: number;
  readonly op?: ReduceOp;
  readonly root?: number;
  readonly options: CollectiveOptions;
}

/** A request that has been checked. */
export interface CollectiveCall {
  readonly name: CollectiveName;
  readonly comm: Communicator;
  readonly send: BufferPointer;
  readonly recv: BufferPointer;
  readonly element: ScalarKind;
  /** The count in NCCL's unit for this collective. */
  readonly count: number;
  readonly op: ResolvedOp | undefined;
  /** 0 for collectives without a root. */
  readonly root: number;
  readonly inPlace: boolean;
  readonly options: CollectiveOptions;
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument does not fit. */
export function checkedCall(comm: Communicator, request: CollectiveRequest): CollectiveCall {
  return reading(request.name, () => checked(comm, request));
}

function checked(comm: Communicator, request: CollectiveRequest): CollectiveCall {
  const { name, count } = request;
  const shape = collectiveShapes[name];
  if (typeof comm?.launch !== 'function') {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `${name}: comm must be a communicator; given ${showValue(comm)}.`);
  }
  const options = checkedOptions(name, request.options);
  expectInteger(`${name}: count`, count, 0);
  const root = request.root ?? 0;
  if (shape.rooted) expectInteger(`${name}: root`, root, 0, comm.nRanks - 1);
  const times = { one: count, each: count * comm.nRanks } as const;
  const send = pointerTo(request.send, times[shape.send], `${name}: send`);
  const recv = pointerTo(request.recv, times[shape.recv], `${name}: recv`);
  if (send.element !== recv.element) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${name}: send has elements of type ${send.element}, recv of type ${recv.element}; they must be the same.`,
    );
  }
  const op = request.op === undefined ? undefined : resolveOp(request.op, send.element, name);
  const { bytes } = scalarInfo[send.element];
  const lies = overlap(send, times[shape.send] * bytes, recv, times[shape.recv] * bytes);
  if (count > 0) checkOverlap({ name, comm, root, part: count * bytes }, lies);
  return {
    name,
    comm,
    send,
    recv,
    element: send.element,
    count,
    op,
    root,
    inPlace: lies.kind !== 'apart',
    options,
  };
}

/**
 * Returns a copy of the options of a collective.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if one does not fit.
 */
export function checkedOptions(name: string, given: CollectiveOptions): CollectiveOptions {
  const options = takeOptions(name, given, {
    stream: true,
    algorithm: true,
    forceAlgorithm: true,
    minCtas: true,
    maxCtas: true,
  });
  const { forceAlgorithm, minCtas, maxCtas } = options;
  if (forceAlgorithm !== undefined && typeof forceAlgorithm !== 'boolean') {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${name}: forceAlgorithm must be true or false; given ${showValue(forceAlgorithm)}.`,
    );
  }
  if (minCtas !== undefined) expectInteger(`${name}: minCtas`, minCtas, 1);
  if (maxCtas !== undefined) expectInteger(`${name}: maxCtas`, maxCtas, minCtas ?? 1);
  return options;
}

interface CallPosition {
  readonly name: CollectiveName;
  readonly comm: Communicator;
  readonly root: number;
  /** The bytes of one rank's part of a buffer that has a part for each rank. */
  readonly part: number;
}

/** Applies NCCL's rules for operations in place. */
function checkOverlap({ name, comm, root, part }: CallPosition, lies: ReturnType<typeof overlap>): void {
  const { rooted, send, recv } = collectiveShapes[name];
  // On ranks other than the root, one of the two buffers is unused.
  if (lies.kind === 'apart' || (rooted && comm.rank !== root)) return;
  const own = rooted ? root : comm.rank;
  if (send === 'each' && recv === 'each') {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${name}: ${overlapText(lies)}, but the operation cannot be done in place; pass separate memory as recv.`,
    );
  }
  const wanted = send === recv ? 0 : recv === 'each' ? -own * part : own * part;
  const offset = lies.kind === 'same' ? 0 : lies.offset;
  if (offset === wanted) return;
  const place =
    send === recv ? 'recv is send' : recv === 'each' ? `send is part ${own} of recv` : `recv is part ${own} of send`;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `${name}: send and recv overlap; in place means that ${place}, ${Math.abs(wanted)} bytes from its start; ` +
      `recv begins ${Math.abs(offset)} bytes ${offset < 0 ? 'before' : 'after'} send.`,
  );
}

function overlapText(lies: ReturnType<typeof overlap>): string {
  if (lies.kind !== 'partial') return 'send and recv are the same memory';
  return `send and recv overlap: recv begins ${Math.abs(lies.offset)} bytes ${lies.offset < 0 ? 'before' : 'after'} send`;
}

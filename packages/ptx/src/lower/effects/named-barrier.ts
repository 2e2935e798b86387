import { WARP_SIZE } from '@nccl-ts/core';
import { builtin, compare, pointerOffset, scalarType, select, type Expression, type Statement } from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';
import { add, and, equal, sub, u32, variable, when } from './build.ts';
import { laneId, warp } from './lanes.ts';

/** The number of named barriers of a block. */
export const NAMES = 16;

/** A use of a named barrier, as an instruction requests it. */
export interface NamedMeeting {
  /** The name, 0 to 15. */
  readonly id: Expression;
  /** The number of threads, including those that only arrive. */
  readonly count: Expression;
  /**
   * True if all threads of a warp arrive together. One thread then counts for all 32, even if the
   * block has fewer.
   */
  readonly isAligned: boolean;
}

/**
 * Emits that a thread arrives at a barrier and waits for the others, of which some only arrive.
 * Arrivals are counted in shared memory. The threads need not be at the same instruction. Unlike on
 * a GPU, a warp with ended threads never arrives.
 */
export function syncAt(lowering: Lowering, meeting: NamedMeeting): void {
  meet(lowering, meeting, true);
  if (meeting.isAligned) lowering.emit(syncWarp(lowering));
}

/** Emits that a thread arrives at a barrier and continues. */
export function arriveAt(lowering: Lowering, meeting: NamedMeeting): void {
  meet(lowering, meeting, false);
}

function meet(lowering: Lowering, { id, count, isAligned }: NamedMeeting, waits: boolean): void {
  const name = lowering.keep('barrier', id);
  const threads = lowering.keep('threads', count);
  const words: BarrierWords = {
    arrived: pointerOffset(lowering.sharedWords('barrier_arrived', NAMES), name),
    phase: pointerOffset(lowering.sharedWords('barrier_phase', NAMES), name),
  };
  if (isAligned) lowering.emit(syncWarp(lowering));
  const amount = isAligned ? u32(WARP_SIZE) : lowering.keep('amount', ownAmount());
  const statements = arrive(lowering, words, amount, threads, waits);
  if (isAligned) lowering.emit(when(lowering, equal(laneId, u32(0)), statements));
  else for (const statement of statements) lowering.emit(statement);
}

/**
 * The number of threads for which a thread counts alone. The last thread of the block also counts
 * for those that its warp lacks, since barriers count whole warps.
 */
function ownAmount(): Expression {
  const threads = builtin('blockThreads');
  const lacking = and(sub(u32(0), threads), u32(31));
  return select(equal(builtin('threadLinear'), sub(threads, u32(1))), add(u32(1), lacking), u32(1));
}

function syncWarp({ span }: Lowering): Statement {
  return { kind: 'sync', coop: warp, span };
}

interface BarrierWords {
  /** The number of threads that have arrived since the last complete phase. */
  readonly arrived: Expression;
  /** The number of complete phases. */
  readonly phase: Expression;
}

/** The last thread clears the count and begins the next phase, which the others may wait for. */
function arrive(
  lowering: Lowering,
  { arrived, phase }: BarrierWords,
  amount: Expression,
  count: Expression,
  waits: boolean,
): readonly Statement[] {
  const { span } = lowering;
  const word = scalarType('u32');
  const seen = variable(lowering, 'phase', word);
  const before = variable(lowering, 'before', word);
  const now = variable(lowering, 'now', word);
  const access = (order: 'relaxed' | 'acquire' | 'release' | 'acq_rel') => ({ order, scope: 'block' }) as const;
  const wait: Statement = {
    kind: 'wait',
    body: [{ kind: 'load', local: now.id, pointer: phase, access: access('acquire'), span }],
    condition: compare('ne', now.value, seen.value),
    span,
  };
  return [
    // The phase cannot end before this thread has arrived.
    { kind: 'load', local: seen.id, pointer: phase, access: access('relaxed'), span },
    { kind: 'atomic', op: 'add', local: before.id, pointer: arrived, value: amount, access: access('acq_rel'), span },
    when(
      lowering,
      equal(add(before.value, amount), count),
      [
        { kind: 'store', pointer: arrived, value: u32(0), access: access('relaxed'), span },
        { kind: 'store', pointer: phase, value: add(seen.value, u32(1)), access: access('release'), span },
      ],
      waits ? [wait] : [],
    ),
  ];
}

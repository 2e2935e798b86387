import { WARP_SIZE } from '@nccl-ts/core';
import { builtin, scalarType, type Coop, type Expression, type NamedBarrier } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { add, and, equal, not, u32, variable } from './build.ts';
import { arriveAt, NAMES, syncAt, type NamedMeeting } from './named-barrier.ts';
import { operandAt } from './read-words.ts';

export const block: Coop = Object.freeze({ kind: 'cta' });

/** A barrier of the block, as an instruction requests it. */
export interface BlockBarrier {
  /** The name, 0 to 15. `undefined` if it is in a register. */
  readonly name: number | undefined;
  readonly id: Expression;
  /** The number of threads. If absent, all threads of the block. */
  readonly threads?: Expression;
  readonly isAligned: boolean;
}

/**
 * Reads the barrier from operand `index` and, if `hasCount`, its number of threads from the next
 * operand.
 */
export function blockBarrier(
  instruction: PtxInstruction,
  lowering: Lowering,
  index: number,
  hasCount: boolean,
): BlockBarrier {
  const barrier = operandAt(instruction, lowering, index);
  const name = barrier.kind === 'integer' ? Number(barrier.value) : undefined;
  if (name !== undefined && (name < 0 || name >= NAMES)) {
    lowering.fail(
      'P1003',
      `${mnemonic(instruction)} names barrier ${name}, but barriers have the numbers 0 to ${NAMES - 1}`,
    );
  }
  const isAligned = isAlignedBarrier(instruction);
  const id = lowering.value(barrier, 'u32');
  if (!hasCount) return { name, id, isAligned };
  const threads = operandAt(instruction, lowering, index + 1);
  if (threads.kind === 'integer' && (threads.value <= 0n || threads.value % BigInt(WARP_SIZE) !== 0n)) {
    lowering.fail(
      'P1003',
      `${mnemonic(instruction)} waits for ${threads.value} threads, which is not a whole number of warps`,
      `pass a multiple of ${WARP_SIZE}`,
    );
  }
  return { name, id, threads: lowering.value(threads, 'u32'), isAligned };
}

export function isAlignedBarrier({ words }: PtxInstruction): boolean {
  return words[0] === 'bar' || words.includes('aligned');
}

/**
 * Emits that a thread arrives at a barrier and waits for the others. `use` distinguishes uses of
 * one barrier that must not happen at the same time.
 */
export function meetAt(instruction: PtxInstruction, lowering: Lowering, barrier: BlockBarrier): void {
  if (lowering.barriers.countsInMemory(barrier.name)) {
    syncAt(lowering, inMemory(instruction, lowering, barrier));
    return;
  }
  lowering.emit({ kind: 'sync', coop: block, barrier: named(barrier, barrier.id), span: lowering.span });
}

/**
 * Emits the same with a vote, among threads that all vote. Returns the number of threads whose vote
 * is true.
 */
export function voteAt(lowering: Lowering, barrier: BlockBarrier, vote: Expression): Expression {
  const { id: local, value } = variable(lowering, 'votes', scalarType('u32'));
  // Reductions and other instructions must not be at one barrier at the same time.
  const at = named(barrier, add(barrier.id, u32(NAMES)));
  lowering.emit({ kind: 'sync', coop: block, barrier: at, vote: { value: vote, local }, span: lowering.span });
  return value;
}

function named({ threads, isAligned }: BlockBarrier, name: Expression): NamedBarrier {
  return { name, ...(threads !== undefined && { threads }), isAligned };
}

/** Emits that a thread arrives at a barrier and continues. */
export function arriveAtBarrier(instruction: PtxInstruction, lowering: Lowering, barrier: BlockBarrier): void {
  arriveAt(lowering, inMemory(instruction, lowering, barrier));
}

function inMemory(instruction: PtxInstruction, lowering: Lowering, barrier: BlockBarrier): NamedMeeting {
  const { name, id, threads, isAligned } = barrier;
  if (name === undefined) forbidOfAll(instruction, lowering, id);
  return { id, count: threads ?? and(add(builtin('blockThreads'), u32(31)), u32(-32)), isAligned };
}

/**
 * Emits assertions that a register does not name a barrier whose arrivals are not counted in
 * memory.
 */
function forbidOfAll(instruction: PtxInstruction, lowering: Lowering, id: Expression): void {
  const { span } = lowering;
  for (const name of lowering.barriers.ofAll) {
    const message =
      `${mnemonic(instruction)} is at barrier ${name}, where other instructions give no number of threads: ` +
      'give a number at all of them';
    lowering.emit({ kind: 'assert', condition: not(equal(id, u32(name))), message, span });
  }
}

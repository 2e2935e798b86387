import { binary, select, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { addressNumber } from './address-number.ts';
import { copyBytes } from './copy-bytes.ts';
import { u32 } from './build.ts';
import { lowerBulkCopy } from './bulk-copies.ts';
import { checkerCall } from './checker-call.ts';
import { arriveAtMemoryBarrier } from './memory-barriers.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';
import { lowerBulkReduction } from './reducing-copies.ts';
import { lowerTensorCopy } from './tensor-copies.ts';

/**
 * `cp.async` from global to shared memory, its groups, and the waits for them. A copy is made
 * immediately, and reported to a checker: there it runs concurrently with the thread, through the
 * generic proxy, until the thread has waited for it.
 *
 * @see cp.async in the PTX ISA
 */
export function lowerAsyncCopy(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  const [, first, second] = words;
  if (first === 'reduce') (words.includes('tensor') ? lowerTensorCopy : lowerBulkReduction)(instruction, lowering);
  else if (second === 'mbarrier') signal(instruction, lowering);
  else if (second === 'bulk') lowerBulkCopy(instruction, lowering);
  else if (second === 'commit_group') commit(instruction, lowering);
  else if (second === 'wait_group' || second === 'wait_all') waitFor(instruction, lowering);
  else begin(instruction, lowering);
}

function commit(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, { async: ['async'], action: ['commit_group'] });
  operandsOf(instruction, lowering, 0);
  lowering.emit(checkerCall(lowering, 'bulk.commit', ['async']));
}

/**
 * Waits for all copies except those of the newest `n` groups. `wait_all` also ends the current
 * group.
 */
function waitFor(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { async: ['async'], action: ['wait_group', 'wait_all'] });
  const isAll = word.get('action') === 'wait_all';
  operandsOf(instruction, lowering, isAll ? 0 : 1);
  if (isAll) waitForAll(lowering);
  else waitExcept(lowering, lowering.value(operandAt(instruction, lowering, 0), 'u32'));
}

function waitForAll(lowering: Lowering): void {
  lowering.emit(checkerCall(lowering, 'bulk.commit', ['async']));
  waitExcept(lowering, u32(0));
}

function waitExcept(lowering: Lowering, left: Expression): void {
  lowering.emit(checkerCall(lowering, 'bulk.wait', ['async', 'written'], [left]));
}

/**
 * Lowers `cp.async.mbarrier.arrive`: an mbarrier arrives when the copies so far are over. Here the
 * thread waits for them. Without `.noinc` the phase expects one more arrival, which is this one.
 */
function signal(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    async: ['async'],
    mbarrier: ['mbarrier'],
    action: ['arrive'],
    expected: ['noinc'],
    space: ['shared', 'shared::cta'],
    type: ['b64'],
  });
  for (const slot of ['action', 'type'] as const) word.need(slot);
  operandsOf(instruction, lowering, 1);
  waitForAll(lowering);
  if (word.get('expected') === undefined) return;
  arriveAtMemoryBarrier(operandAt(instruction, lowering, 0), 'shared', lowering);
}

function begin(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    async: ['async'],
    cache: ['ca', 'cg'],
    to: ['shared', 'shared::cta'],
    from: ['global'],
    hint: ['L2::cache_hint'],
    prefetch: ['L2::64B', 'L2::128B', 'L2::256B'],
  });
  for (const slot of ['cache', 'to', 'from'] as const) word.need(slot);
  const hints = word.get('hint') === undefined ? 0 : 1;
  const operands = operandsOf(instruction, lowering, 3 + hints, 4 + hints);
  const [target, source, size] = [0, 1, 2].map((index) => operandAt(instruction, lowering, index));
  if (target === undefined || source === undefined || size?.kind !== 'integer' || !isSize(size.value)) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs a constant size`, 'copy 4, 8 or 16 bytes');
  }
  const bytes = Number(size.value);
  const to = lowering.keep('to', addressNumber(instruction, target, 'u32', lowering));
  const from = lowering.keep('from', addressNumber(instruction, source, 'u64', lowering));
  const given = operands.length - hints === 4 ? operands[3] : undefined;
  const read = given === undefined ? undefined : lowering.keep('given', givenBytes(given, u32(bytes), lowering));
  lowering.emit(checkerCall(lowering, 'bulk.begin', ['store']));
  for (const statement of copyBytes(lowering, { to, from, bytes, given: read })) lowering.emit(statement);
  lowering.emit(checkerCall(lowering, 'bulk.copied'));
  lowering.emit(checkerCall(lowering, 'bulk.end', ['async']));
}

/** The number of bytes to read. It is an operand, or 0 if a predicate omits the copy. */
function givenBytes(given: PtxOperand, bytes: Expression, lowering: Lowering): Expression {
  if (lowering.isPredicate(given)) return select(lowering.predicate(given), u32(0), bytes);
  return binary('min', lowering.value(given, 'u32'), bytes);
}

function isSize(size: bigint): boolean {
  return size === 4n || size === 8n || size === 16n;
}

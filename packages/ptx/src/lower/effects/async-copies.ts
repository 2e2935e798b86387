import { binary, compare, select, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { addressNumber } from './address-number.ts';
import { add, set, u32, when } from './build.ts';
import { asyncQueue, QUEUE_LENGTH } from './async-queue.ts';
import { arriveAtMemoryBarrier } from './memory-barriers.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';
import { lowerBulkCopy } from './bulk-copies.ts';
import { lowerBulkReduction } from './reducing-copies.ts';
import { lowerTensorCopy } from './tensor-copies.ts';

/**
 * `cp.async` from global to shared memory, its groups, and the waits for them. A copy may happen at
 * any time until the thread waits for it. Here it happens as late as possible, so a reader that
 * does not wait finds the old contents.
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
  const { group } = asyncQueue(lowering);
  lowering.emit(set(lowering, group, add(group.value, u32(1))));
}

/**
 * Completes all copies except those of the newest `n` groups. `wait_all` also ends the current
 * group.
 */
function waitFor(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { async: ['async'], action: ['wait_group', 'wait_all'] });
  const isAll = word.get('action') === 'wait_all';
  operandsOf(instruction, lowering, isAll ? 0 : 1);
  finish(lowering, isAll ? 'all' : lowering.value(operandAt(instruction, lowering, 0), 'u32'));
}

/** Completes all copies except those of the newest `kept` groups. */
function finish(lowering: Lowering, kept: Expression | 'all'): void {
  const isAll = kept === 'all';
  const left = isAll ? u32(0) : kept;
  const queue = asyncQueue(lowering);
  const { head, tail, group } = queue;
  const { span } = lowering;
  if (isAll) lowering.emit(set(lowering, group, add(group.value, u32(1))));
  const { load, value } = queue.read('group');
  lowering.emit({
    kind: 'loop',
    condition: compare('ne', head.value, tail.value),
    body: [
      load,
      when(lowering, compare('ge', add(value, left), group.value), [{ kind: 'break', span }]),
      ...queue.finishOldest(),
    ],
    update: [],
    span,
  });
}

/**
 * Lowers `cp.async.mbarrier.arrive`: an mbarrier arrives when the copies so far are over. Here they
 * are over at once. Without `.noinc` the phase expects one more arrival, which is this one.
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
  finish(lowering, 'all');
  if (word.get('expected') === undefined) return;
  arriveAtMemoryBarrier(operandAt(instruction, lowering, 0), 'shared', lowering);
}

/** Records a copy. */
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
  const [to, from, size] = [0, 1, 2].map((index) => operandAt(instruction, lowering, index));
  if (to === undefined || from === undefined || size?.kind !== 'integer' || !isSize(size.value)) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs a constant size`, 'copy 4, 8 or 16 bytes');
  }
  const bytes = u32(Number(size.value));
  const given = operands.length - hints === 4 ? operands[3] : undefined;
  const queue = asyncQueue(lowering);
  const { head, tail, group } = queue;
  const isFull = compare('eq', binary('sub', tail.value, head.value), u32(QUEUE_LENGTH));
  // If there is no room for another copy, the oldest one happens.
  lowering.emit(when(lowering, isFull, queue.finishOldest()));
  const source = given === undefined ? bytes : givenBytes(given, bytes, lowering);
  queue.write('to', addressNumber(instruction, to, 'u32', lowering));
  queue.write('from', addressNumber(instruction, from, 'u64', lowering));
  queue.write('bytes', bytes);
  queue.write('given', source);
  queue.write('group', group.value);
  lowering.emit(set(lowering, tail, add(tail.value, u32(1))));
}

/** The number of bytes to read. It is an operand, or 0 if a predicate omits the copy. */
function givenBytes(given: PtxOperand, bytes: Expression, lowering: Lowering): Expression {
  if (lowering.isPredicate(given)) return select(lowering.predicate(given), u32(0), bytes);
  return binary('min', lowering.value(given, 'u32'), bytes);
}

function isSize(size: bigint): boolean {
  return size === 4n || size === 8n || size === 16n;
}

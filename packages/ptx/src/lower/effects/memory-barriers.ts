import { approximate, mbarrierLayout, wordTable, type ApproximateFidelity, type MemoryOrder } from '@nccl-ts/core';
import {
  binary,
  clusterCtas,
  compare,
  constant,
  convert,
  scalarType,
  select,
  type AtomicAccess,
  type Expression,
} from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { accessOf, mnemonic, scopeOf, scopeWords, accessSpaceOf, type AccessSpace } from '../instruction-parts.ts';
import { nameApproximation, type Lowering } from '../lowering.ts';
import { equal, u32, variable } from './build.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';
import { emitUpdate } from './update-memory.ts';

const {
  arrivals: LEFT,
  expectedAt: EXPECTED_AT,
  bytesAt: BYTES_AT,
  bytes: BYTES,
  noBytes: NO_BYTES,
  phaseAt: PHASE_AT,
} = mbarrierLayout;

const word = scalarType('u64');
const spaces = ['shared', 'shared::cta', 'shared::cluster'];
const orders = ['release', 'acquire', 'relaxed'];

/** Lowers `mbarrier`: barriers that count arrivals and the bytes of copies. */
export function lowerMemoryBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const action = instruction.words[1] ?? '';
  const lower = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (lower !== undefined) return lower(instruction, lowering);
  lowering.fail(
    'P2001',
    `${mnemonic(instruction)} is not supported`,
    `use one of ${Object.keys(actions)
      .map((one) => `mbarrier.${one}`)
      .join(', ')}`,
  );
}

const actions: Readonly<Record<string, (instruction: PtxInstruction, lowering: Lowering) => void>> = wordTable({
  init,
  inval,
  arrive,
  expect_tx: expectBytes,
  complete_tx: expectBytes,
  test_wait: test,
  try_wait: test,
});

function init(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, { action: ['init'], space: spaces, type: ['b64'] });
  operandsOf(instruction, lowering, 2);
  const arrivals = convert(word, lowering.value(operandAt(instruction, lowering, 1), 'u32'));
  const value = sum(arrivals, binary('shl', arrivals, big(EXPECTED_AT)), big(NO_BYTES << BYTES_AT));
  lowering.memory(operandAt(instruction, lowering, 0), accessSpaceOf(instruction), word, (pointer) => {
    lowering.emit({ kind: 'store', pointer, value, span: lowering.span });
  });
}

/** Lowers `mbarrier.inval`: nobody may arrive then, and no phase ends. */
function inval(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, { action: ['inval'], space: spaces, type: ['b64'] });
  operandsOf(instruction, lowering, 1);
  lowering.memory(operandAt(instruction, lowering, 0), accessSpaceOf(instruction), word, (pointer) => {
    lowering.emit({ kind: 'store', pointer, value: big(0n), span: lowering.span });
  });
}

/** Lowers `mbarrier.arrive` and `mbarrier.arrive.expect_tx`. */
function arrive(instruction: PtxInstruction, lowering: Lowering): void {
  const words = readWords(instruction, lowering, {
    action: ['arrive'],
    bytes: ['expect_tx'],
    order: orders,
    scope: scopeWords,
    space: spaces,
    type: ['b64'],
  });
  const isExpecting = words.get('bytes') !== undefined;
  const operands = operandsOf(instruction, lowering, isExpecting ? 3 : 2, 3);
  const given = operands[2] === undefined ? u32(1) : lowering.value(operands[2], 'u32');
  const change = isExpecting ? { arrivals: u32(1), bytes: given } : { arrivals: given };
  const access = barrierAccess(instruction, 'release', lowering);
  const before = variable(lowering, 'phase', word);
  const [result, operand] = [operandAt(instruction, lowering, 0), operandAt(instruction, lowering, 1)];
  lowering.memory(operand, accessSpaceOf(instruction), word, (pointer) => {
    emitUpdate(lowering, pointer, { kind: 'function', next: (seen) => changed(seen, change) }, access, before);
    lowering.emit({
      kind: 'assert',
      condition: compare('ge', binary('and', before.value, big(LEFT)), convert(word, change.arrivals)),
      message: 'more threads arrive at the mbarrier than its phase expects',
      span: lowering.span,
    });
    lowering.assign(result, before.value);
  });
}

/** Lowers `mbarrier.expect_tx` and `mbarrier.complete_tx`. */
function expectBytes(instruction: PtxInstruction, lowering: Lowering): void {
  const words = readWords(instruction, lowering, {
    action: ['expect_tx', 'complete_tx'],
    order: ['relaxed'],
    scope: scopeWords,
    space: spaces,
    type: ['b64'],
  });
  operandsOf(instruction, lowering, 2);
  const bytes = lowering.value(operandAt(instruction, lowering, 1), 'u32');
  const change = words.get('action') === 'expect_tx' ? { bytes } : { come: bytes };
  const access = barrierAccess(instruction, 'relaxed', lowering);
  update(operandAt(instruction, lowering, 0), accessSpaceOf(instruction), change, access, lowering);
}

/** Emits an arrival at an mbarrier, of a copy or of a matrix instruction that is over. */
export function arriveAtMemoryBarrier(operand: PtxOperand, space: AccessSpace | undefined, lowering: Lowering): void {
  update(operand, space, { arrivals: u32(1) }, { order: 'release', scope: completionScope(lowering) }, lowering);
}

/**
 * Emits that the bytes of a copy have arrived. A thread that sees the end of the phase is ordered
 * after the copy.
 */
export function countBytes(
  operand: PtxOperand,
  space: AccessSpace | undefined,
  bytes: Expression,
  lowering: Lowering,
): void {
  update(operand, space, { come: bytes }, { order: 'release', scope: completionScope(lowering) }, lowering);
}

/** The same for the mbarrier that a pointer points to. */
export function countBytesAt(pointer: Expression, bytes: Expression, lowering: Lowering): void {
  const access = { order: 'release', scope: completionScope(lowering) } as const;
  emitUpdate(lowering, pointer, { kind: 'function', next: (seen) => changed(seen, { come: bytes }) }, access);
}

function completionScope({ cluster }: Lowering): 'block' | 'cluster' {
  return clusterCtas(cluster) === 1 ? 'block' : 'cluster';
}

/** The scope of mbarriers in PTX is that of the CTA, if an instruction names none. */
export const unscopedBarriers: ApproximateFidelity = approximate(
  'an mbarrier instruction without a scope as one of cluster scope',
);

/**
 * The access of an instruction. In clusters of several CTAs, libraries leave the scope out even for
 * the mbarrier of another CTA.
 */
function barrierAccess(instruction: PtxInstruction, order: MemoryOrder, lowering: Lowering): AtomicAccess {
  if (clusterCtas(lowering.cluster) === 1 || scopeOf(instruction) !== undefined)
    return accessOf(instruction, order, 'block');
  nameApproximation(unscopedBarriers, lowering);
  return accessOf(instruction, order, 'cluster');
}

function update(
  operand: PtxOperand,
  space: AccessSpace | undefined,
  change: BarrierUpdate,
  access: AtomicAccess,
  lowering: Lowering,
): void {
  lowering.memory(operand, space, word, (pointer) => {
    emitUpdate(lowering, pointer, { kind: 'function', next: (seen) => changed(seen, change) }, access);
  });
}

/**
 * Lowers `test_wait` and `try_wait` of a phase, by the state that an arrival returned or by its
 * parity. A `try_wait` never waits, as if it timed out immediately.
 */
function test(instruction: PtxInstruction, lowering: Lowering): void {
  const words = readWords(instruction, lowering, {
    action: ['test_wait', 'try_wait'],
    by: ['parity'],
    order: ['acquire', 'relaxed'],
    scope: scopeWords,
    space: spaces,
    type: ['b64'],
  });
  operandsOf(instruction, lowering, 3, words.get('action') === 'try_wait' ? 4 : 3);
  const [result, operand, phase] = [0, 1, 2].map((index) => operandAt(instruction, lowering, index));
  if (result === undefined || operand === undefined || phase === undefined) return;
  const parity =
    words.get('by') === undefined
      ? phaseOf(lowering.value(phase, 'u64'))
      : binary('and', lowering.value(phase, 'u32'), u32(1));
  const access = barrierAccess(instruction, 'acquire', lowering);
  lowering.memory(operand, accessSpaceOf(instruction), word, (pointer) => {
    const seen = variable(lowering, 'phase', word);
    lowering.emit({ kind: 'load', local: seen.id, pointer, access, span: lowering.span });
    lowering.assign(result, compare('ne', phaseOf(seen.value), parity));
  });
}

interface BarrierUpdate {
  readonly arrivals?: Expression;
  /** Changes the number of awaited bytes. */
  readonly bytes?: Expression;
  readonly come?: Expression;
}

function changed(seen: Expression, { arrivals, bytes, come }: BarrierUpdate): Expression {
  let value = seen;
  if (arrivals !== undefined) value = binary('sub', value, convert(word, arrivals));
  if (bytes !== undefined) value = binary('add', value, binary('shl', convert(word, bytes), big(BYTES_AT)));
  if (come !== undefined) value = binary('sub', value, binary('shl', convert(word, come), big(BYTES_AT)));
  const isOver = equal(binary('and', value, big(LEFT | (BYTES << BYTES_AT))), big(NO_BYTES << BYTES_AT));
  const anew = binary('and', binary('shr', value, big(EXPECTED_AT)), big(LEFT));
  return select(isOver, binary('xor', sum(value, anew), big(1n << PHASE_AT)), value);
}

function phaseOf(value: Expression): Expression {
  return convert(scalarType('u32'), binary('and', binary('shr', value, big(PHASE_AT)), big(1n)));
}

function sum(first: Expression, ...others: readonly Expression[]): Expression {
  return others.reduce((all, one) => binary('add', all, one), first);
}

function big(value: bigint): Expression {
  return constant('u64', value);
}

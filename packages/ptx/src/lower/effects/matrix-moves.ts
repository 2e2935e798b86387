import { binary, convert, local, scalarType, type Expression } from '@nccl-ts/ir';
import type { ScalarKind } from '@nccl-ts/core';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { addressNumber } from './address-number.ts';
import { add, and, or, u32 } from './build.ts';
import { exchange, laneId, warp } from './lanes.ts';
import { elementsOf, operandAt, operandsOf, readWords, type Words } from './read-words.ts';

/*
 * A matrix has 8 rows of 8 elements with 16 bits. Lane `4 * row + column / 2` has two neighbouring
 * elements of a row in one register. In shared memory, each row has 16 bytes, at an address that
 * one lane gives: lane `8 * k + row` for matrix number `k`.
 */
const row = binary('shr', laneId, u32(2));
const pair = and(laneId, u32(3));

const words = {
  sync: ['sync'],
  aligned: ['aligned'],
  shape: ['m8n8'],
  trans: ['trans'],
  type: ['b16'],
} as const;
const inMemory = { ...words, count: ['x1', 'x2', 'x4'], space: ['shared', 'shared::cta'] } as const;

/** Two halves of a register as parts of a matrix in shared memory: their addresses. */
interface Halves {
  readonly low: Expression;
  readonly high: Expression;
}

/** Lowers `ldmatrix`: each lane loads its parts of up to four matrices. */
export function lowerLoadMatrix(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, inMemory);
  operandsOf(instruction, lowering, 2);
  const results = elementsOf(operandAt(instruction, lowering, 0));
  const address = addressNumber(instruction, operandAt(instruction, lowering, 1), 'u32', lowering);
  const addresses = rowAddresses(instruction, word, results.length, address, lowering);
  const values = addresses.map((at) => {
    if (!('low' in at)) return load(lowering, 'u32', at);
    const [low, high] = [load(lowering, 'u16', at.low), load(lowering, 'u16', at.high)];
    return joined(convert(scalarType('u32'), low), convert(scalarType('u32'), high));
  });
  results.forEach((result, k) => {
    const value = values[k];
    if (value !== undefined) lowering.assign(result, value);
  });
}

/** Lowers `stmatrix`: each lane stores its parts of up to four matrices. */
export function lowerStoreMatrix(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, inMemory);
  operandsOf(instruction, lowering, 2);
  const address = addressNumber(instruction, operandAt(instruction, lowering, 0), 'u32', lowering);
  const values = elementsOf(operandAt(instruction, lowering, 1));
  const addresses = rowAddresses(instruction, word, values.length, address, lowering);
  addresses.forEach((at, k) => {
    const operand = values[k];
    if (operand === undefined) return;
    const value = lowering.value(operand, 'u32');
    if (!('low' in at)) return store(lowering, 'u32', at, value);
    store(lowering, 'u16', at.low, convert(scalarType('u16'), value));
    store(lowering, 'u16', at.high, convert(scalarType('u16'), binary('shr', value, u32(16))));
  });
}

/** Lowers `movmatrix`, which transposes a matrix in registers. */
export function lowerMoveMatrix(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, words);
  for (const slot of ['sync', 'aligned', 'shape', 'trans', 'type'] as const) word.need(slot);
  operandsOf(instruction, lowering, 2);
  const value = lowering.keep('row', lowering.value(operandAt(instruction, lowering, 1), 'u32'));
  const shift = lowering.keep('shift', binary('mul', and(row, u32(1)), u32(16)));
  // The elements of this lane's row and the next one of the transposed matrix.
  const [low, high] = [0, 1].map((odd) => {
    const lane = add(binary('mul', add(binary('mul', pair, u32(2)), u32(odd)), u32(4)), binary('shr', row, u32(1)));
    const got = exchange(lowering, 'shfl', warp, value, lowering.keep('source', lane));
    return and(binary('shr', got, shift), u32(0xffff));
  });
  if (low !== undefined && high !== undefined) lowering.assign(operandAt(instruction, lowering, 0), joined(low, high));
}

/** Where a lane's parts of each matrix are: 4 bytes, or two places with `.trans`. */
function rowAddresses(
  instruction: PtxInstruction,
  word: Words<typeof inMemory>,
  registers: number,
  address: Expression,
  lowering: Lowering,
): readonly (Expression | Halves)[] {
  for (const slot of ['sync', 'aligned', 'shape', 'count', 'space', 'type'] as const) word.need(slot);
  const count = Number(word.need('count').slice(1));
  if (registers !== count) {
    lowering.fail('P1003', `${mnemonic(instruction)} needs ${count} registers`);
  }
  const given = lowering.keep('address', address);
  const rowAt = (matrix: number, of: Expression): Expression =>
    exchange(lowering, 'shfl', warp, given, lowering.keep('source', add(u32(8 * matrix), of)));
  return Array.from({ length: count }, (_, k) => {
    if (word.get('trans') === undefined) return addressAt(lowering, rowAt(k, row), binary('mul', pair, u32(4)));
    const first = binary('mul', pair, u32(2));
    const column = binary('mul', row, u32(2));
    return {
      low: addressAt(lowering, rowAt(k, first), column),
      high: addressAt(lowering, rowAt(k, add(first, u32(1))), column),
    };
  });
}

function addressAt(lowering: Lowering, start: Expression, offset: Expression): Expression {
  return lowering.keep('at', add(start, offset));
}

function joined(low: Expression, high: Expression): Expression {
  return or(low, binary('shl', high, u32(16)));
}

function load(lowering: Lowering, scalar: ScalarKind, address: Expression): Expression {
  const type = scalarType(scalar);
  const id = lowering.local('part', type);
  lowering.emit({
    kind: 'load',
    local: id,
    pointer: lowering.pointerAt('shared', address, type),
    span: lowering.span,
  });
  return local(id, type);
}

function store(lowering: Lowering, scalar: ScalarKind, address: Expression, value: Expression): void {
  const pointer = lowering.pointerAt('shared', address, scalarType(scalar));
  lowering.emit({ kind: 'store', pointer, value, span: lowering.span });
}

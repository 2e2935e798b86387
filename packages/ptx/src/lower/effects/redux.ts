import type { ScalarKind } from '@nccl-ts/core';
import { binary, constant, scalarType, type BinaryOp } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { set, variable } from './build.ts';
import { eachLane, maskedLanes, membersOf } from './lanes.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';

interface WarpReduction {
  readonly op: BinaryOp;
  readonly kinds: Readonly<Partial<Record<string, ScalarKind>>>;
  /** The neutral value. */
  readonly neutral: (kind: ScalarKind) => number;
}

const numbers = { u32: 'u32', s32: 'i32' } as const;
const bits = { b32: 'u32' } as const;

const reductions: Readonly<Partial<Record<string, WarpReduction>>> = {
  add: { op: 'add', kinds: numbers, neutral: () => 0 },
  min: { op: 'min', kinds: numbers, neutral: (kind) => (kind === 'i32' ? 0x7fffffff : 0xffffffff) },
  max: { op: 'max', kinds: numbers, neutral: (kind) => (kind === 'i32' ? -0x80000000 : 0) },
  and: { op: 'and', kinds: bits, neutral: () => 0xffffffff },
  or: { op: 'or', kinds: bits, neutral: () => 0 },
  xor: { op: 'xor', kinds: bits, neutral: () => 0 },
};

/** Lowers `redux.sync.op.type d, a, membermask`. */
export function lowerRedux(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    sync: ['sync'],
    operation: Object.keys(reductions),
    type: ['u32', 's32', 'b32', 'f32'],
  });
  word.need('sync');
  const name = word.need('operation');
  const type = word.need('type');
  const reduction = reductions[name];
  const kind = reduction?.kinds[type];
  if (reduction === undefined || kind === undefined) {
    return lowering.fail('P2003', `${mnemonic(instruction)} does not support .${name} with .${type}`);
  }
  operandsOf(instruction, lowering, 3);
  const value = lowering.keep('value', lowering.value(operandAt(instruction, lowering, 1), kind));
  const coop = maskedLanes(operandAt(instruction, lowering, 2), lowering);
  const members = membersOf(lowering, coop);
  const all = variable(lowering, 'all', scalarType(kind));
  lowering.emit(set(lowering, all, constant(kind, reduction.neutral(kind))));
  eachLane(lowering, coop, members, value, (seen) => [set(lowering, all, binary(reduction.op, all.value, seen.value))]);
  lowering.assign(operandAt(instruction, lowering, 0), all.value);
}

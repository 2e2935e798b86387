import type { InstructionLowering, Lowering } from '../lowering.ts';
import type { ScalarKind } from '@nccl-ts/core';
import type { Expression } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand, PtxType } from '../../syntax/module.ts';
import { isPtxType, mnemonic } from '../instruction-parts.ts';

/** A type that an instruction on registers may name. */
export type ArithmeticType =
  | PtxType
  | 'f32x2'
  | 'u16x2'
  | 's16x2'
  | 'e2m1x2'
  | 'e2m3x2'
  | 'e3m2x2'
  | 'ue8m0x2'
  | 'tf32';

const moreTypes: ReadonlySet<string> = new Set([
  'f32x2',
  'u16x2',
  's16x2',
  'e2m1x2',
  'e2m3x2',
  'e3m2x2',
  'ue8m0x2',
  'tf32',
]);

function isArithmeticType(word: string): word is ArithmeticType {
  return isPtxType(word) || moreTypes.has(word);
}

/** The allowed forms of an instruction. */
export interface FormRules {
  /** The modifiers other than types. The instruction may name one of each list. */
  readonly modifiers?: readonly (readonly string[])[];
  /** The supported types for each type that it names, in order. */
  readonly types: readonly (readonly ArithmeticType[])[];
  /** The number of operands, including the result. Two numbers are a minimum and a maximum. */
  readonly operands: number | readonly [least: number, most: number];
  /** The smallest number of types, if the last ones may be omitted. If absent, all are required. */
  readonly leastTypes?: number;
}

/** An instruction whose modifiers and number of operands were checked. */
export interface InstructionForm {
  readonly instruction: PtxInstruction;
  readonly lowering: Lowering;
  /** The first type. */
  readonly type: ArithmeticType;
  readonly types: readonly ArithmeticType[];
  readonly result: PtxOperand;
  /** True if it names the modifier. */
  readonly says: (modifier: string) => boolean;
  /** Returns the one of `modifiers` that it names. */
  readonly which: <const M extends string>(modifiers: readonly M[]) => M | undefined;
  /** Operand number `index`. 0 is the result. */
  readonly operand: (index: number) => PtxOperand;
  /** The value of operand `index` as a `scalar`, which defaults to that of the first type. */
  readonly value: (index: number, scalar?: ScalarKind) => Expression;
  /** Reports a diagnostic about the modifiers: a sentence whose subject is the instruction. */
  readonly refuse: (predicate: string, help?: string) => never;
}

/** Makes a lowering that first checks if `rules` allow the form of the instruction. */
export function lowered(rules: FormRules, lower: (form: InstructionForm) => void): InstructionLowering {
  return (instruction, lowering) => lower(formOf(instruction, lowering, rules));
}

/**
 * Returns the form of an instruction. Reports a diagnostic for each word that `rules` do not allow.
 */
export function formOf(instruction: PtxInstruction, lowering: Lowering, rules: FormRules): InstructionForm {
  const name = mnemonic(instruction);
  const types: ArithmeticType[] = [];
  const said = new Map<readonly string[], string>();
  for (const word of instruction.words.slice(1)) {
    if (isArithmeticType(word)) {
      const allowed = rules.types[types.length];
      if (allowed === undefined || !allowed.includes(word)) return refuseType(lowering, name, word, allowed);
      types.push(word);
      continue;
    }
    const group = rules.modifiers?.find((words) => words.includes(word));
    if (group === undefined) {
      return lowering.fail('P2002', `${name} has the modifier .${word}, which is not supported`);
    }
    const other = said.get(group);
    if (other !== undefined) {
      return lowering.fail('P1003', `${name} cannot have both .${other} and .${word}`);
    }
    said.set(group, word);
  }
  const [type] = types;
  const least = rules.leastTypes ?? rules.types.length;
  if (type === undefined || types.length < least) {
    const needed = least === 1 ? 'a type' : `${least} types`;
    return lowering.fail('P1003', `${name} needs ${needed} and names ${types.length}`);
  }
  checkCount(instruction, lowering, rules, name);
  return makeForm(instruction, lowering, type, types, new Set(said.values()));
}

function refuseType(
  lowering: Lowering,
  name: string,
  word: string,
  allowed: readonly ArithmeticType[] | undefined,
): never {
  if (allowed === undefined) {
    return lowering.fail('P2003', `${name} names more types than are supported`);
  }
  return lowering.fail(
    'P2003',
    `${name} does not support .${word}`,
    `use one of ${allowed.map((type) => `.${type}`).join(', ')}`,
  );
}

function checkCount(
  { operands }: PtxInstruction,
  lowering: Lowering,
  { operands: count }: FormRules,
  name: string,
): void {
  const [least, most] = typeof count === 'number' ? [count, count] : count;
  if (operands.length >= least && operands.length <= most) return;
  const expected = least === most ? `${least}` : `${least} to ${most}`;
  lowering.fail('P1003', `${name} needs ${expected} operands and has ${operands.length}`);
}

function makeForm(
  instruction: PtxInstruction,
  lowering: Lowering,
  type: ArithmeticType,
  types: readonly ArithmeticType[],
  said: ReadonlySet<string>,
): InstructionForm {
  const name = mnemonic(instruction);
  const refuse = (predicate: string, help?: string): never => lowering.fail('P2002', `${name} ${predicate}`, help);
  const operand = (index: number): PtxOperand =>
    instruction.operands[index] ?? lowering.fail('P1003', `${name} lacks operand ${index + 1}`);
  return {
    instruction,
    lowering,
    type,
    types,
    result: operand(0),
    says: (modifier) => said.has(modifier),
    which: (modifiers) => modifiers.find((modifier) => said.has(modifier)),
    operand,
    value: (index, scalar) => lowering.value(operand(index), scalar ?? scalarOf(type)),
    refuse,
  };
}

const scalars: Readonly<Record<ArithmeticType, ScalarKind>> = {
  pred: 'bool',
  b8: 'u8',
  b16: 'u16',
  b32: 'u32',
  b64: 'u64',
  b128: 'u64',
  u8: 'u8',
  u16: 'u16',
  u32: 'u32',
  u64: 'u64',
  s8: 'i8',
  s16: 'i16',
  s32: 'i32',
  s64: 'i64',
  f16: 'f16',
  f16x2: 'f16',
  bf16: 'bf16',
  bf16x2: 'bf16',
  e4m3x2: 'e4m3',
  e5m2x2: 'e5m2',
  f32: 'f32',
  f64: 'f64',
  f32x2: 'f32',
  e2m1x2: 'u8',
  e2m3x2: 'u16',
  e3m2x2: 'u16',
  ue8m0x2: 'u16',
  tf32: 'f32',
  u16x2: 'u16',
  s16x2: 'i16',
};

/** The scalar of a type or of its elements. */
export function scalarOf(type: ArithmeticType): ScalarKind {
  return scalars[type];
}

/** True if a type has two elements in one register. */
export function isPacked(type: ArithmeticType): boolean {
  return type.endsWith('x2');
}

export function isFloat(type: ArithmeticType): boolean {
  return type.startsWith('f') || type.startsWith('bf');
}

/**
 * Stores a value in a local, unless it is as cheap as a local. For values that are used more than
 * once.
 */
export function storedInLocal(lowering: Lowering, name: string, value: Expression): Expression {
  const isCheap = value.kind === 'local' || value.kind === 'constant' || value.kind === 'param';
  return isCheap ? value : lowering.keep(name, value);
}

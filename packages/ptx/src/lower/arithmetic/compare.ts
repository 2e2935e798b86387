import type { LoweringTable, Lowering } from '../lowering.ts';
import { compare, constant, vector, vectorType, type Expression } from '@nccl-ts/ir';
import type { PtxOperand } from '../../syntax/module.ts';
import { bits, both, choose, either, isNaN, not, number } from './build.ts';
import { flushed, sourceOf } from './float-modes.ts';
import {
  isFloat,
  isPacked,
  storedInLocal,
  lowered,
  scalarOf,
  type ArithmeticType,
  type InstructionForm,
} from './form.ts';

const bitTypes = ['b16', 'b32', 'b64'] as const;
const signedTypes = ['s16', 's32', 's64'] as const;
const unsignedTypes = ['u16', 'u32', 'u64'] as const;
const floatTypes = ['f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2'] as const;
const all: readonly ArithmeticType[] = [...bitTypes, ...signedTypes, ...unsignedTypes, ...floatTypes];

const ordered = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;
const unsignedOps = { lo: 'lt', ls: 'le', hi: 'gt', hs: 'ge' } as const;
const comparisons = [
  ...ordered,
  'lo',
  'ls',
  'hi',
  'hs',
  'equ',
  'neu',
  'ltu',
  'leu',
  'gtu',
  'geu',
  'num',
  'nan',
] as const;
type Comparison = (typeof comparisons)[number];
const combinations = ['and', 'or', 'xor'] as const;

/** Computes `a op b` of two scalars. Both operands are used more than once. */
function holds(form: InstructionForm, op: Comparison, type: ArithmeticType, a: Expression, b: Expression): Expression {
  if (isFloat(type)) return ofFloats(op, a, b) ?? form.refuse(`uses .${op}, which is for unsigned integers only`);
  switch (op) {
    case 'eq':
    case 'ne':
      return compare(op, a, b);
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      if (type.startsWith('b')) form.refuse(`cannot use .${op} with .${type}`, 'use a type of integers');
      return compare(op, a, b);
    case 'lo':
    case 'ls':
    case 'hi':
    case 'hs':
      if (!type.startsWith('u')) form.refuse(`uses .${op}, which is for unsigned integers only`);
      return compare(unsignedOps[op], a, b);
    default:
      return form.refuse(`uses .${op}, which is for floats only`);
  }
}

/** With a NaN, the ordered comparisons are false and the unordered ones are true. */
function ofFloats(op: Comparison, a: Expression, b: Expression): Expression | undefined {
  switch (op) {
    case 'eq':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return compare(op, a, b);
    case 'neu':
      return compare('ne', a, b);
    case 'ne':
      return either(compare('lt', a, b), compare('gt', a, b));
    case 'equ':
      return not(either(compare('lt', a, b), compare('gt', a, b)));
    case 'ltu':
      return not(compare('ge', a, b));
    case 'leu':
      return not(compare('gt', a, b));
    case 'gtu':
      return not(compare('le', a, b));
    case 'geu':
      return not(compare('lt', a, b));
    case 'nan':
      return either(isNaN(a), isNaN(b));
    case 'num':
      return not(either(isNaN(a), isNaN(b)));
    default:
      return undefined;
  }
}

/** The results for each element of the operands: one, or two for packed types. */
function truths(form: InstructionForm, type: ArithmeticType): readonly Expression[] {
  const op = form.which(comparisons) ?? form.refuse('needs a comparison, such as .lt');
  if (form.says('ftz') && (type.startsWith('b') || !['f32', 'f16', 'f16x2'].includes(type))) {
    form.refuse('uses .ftz, which is for .f16 and .f32 only');
  }
  const [left, right] = [elements(form, 1, type), elements(form, 2, type)];
  return left.map((a, index) => holds(form, op, type, a, right[index] ?? a));
}

function elements(form: InstructionForm, index: number, type: ArithmeticType): readonly Expression[] {
  const values = sourceOf(form, index, type);
  return values.map((value) => {
    if (!isFloat(type)) return value;
    const local = storedInLocal(form.lowering, 'value', value);
    return form.says('ftz') ? storedInLocal(form.lowering, 'value', flushed(local)) : local;
  });
}

function combined(form: InstructionForm, truth: Expression, index: number): Expression {
  const op = form.which(combinations);
  if (op === undefined) return truth;
  const c = form.lowering.predicate(form.operand(index));
  return op === 'xor' ? compare('ne', truth, c) : op === 'and' ? both(truth, c) : either(truth, c);
}

function checkOperands(form: InstructionForm): void {
  const op = form.which(combinations);
  if (form.instruction.operands.length === (op === undefined ? 3 : 4)) return;
  form.refuse(
    op === undefined ? 'needs .and, .or or .xor for its last operand' : `needs a predicate to combine by .${op}`,
  );
}

const modifiers = [comparisons, combinations, ['ftz']];

const setp = lowered({ modifiers, types: [all], operands: [3, 4] }, (form) => {
  checkOperands(form);
  const { lowering, result } = form;
  const [first, second] = truths(form, form.type);
  if (first === undefined) return;
  if (result.kind !== 'pair') {
    if (second !== undefined) form.refuse('compares pairs, so it needs two predicates (p|q)');
    return lowering.assign(result, combined(form, first, 3));
  }
  const truth = lowering.keep('truth', first);
  // Both are computed before either is set, because a result may also be the predicate to combine
  // with.
  const p = lowering.keep('p', combined(form, truth, 3));
  const q = combined(form, second ?? not(truth), 3);
  lowering.assign(result.second, storedInLocal(lowering, 'q', q));
  lowering.assign(result.first, p);
});

const results = ['u32', 's32', 'u16', 's16', 'f32', 'f16', 'bf16', 'f16x2', 'bf16x2'] as const;

const set = lowered({ modifiers, types: [results, all], operands: [3, 4] }, (form) => {
  checkOperands(form);
  const source = form.types[1] ?? form.type;
  const all32 = truths(form, source).map((truth) => combined(form, truth, 3));
  const isWide = isPacked(source);
  const values = all32.map((truth) => yes(form.type, truth, isWide));
  const [value] = values;
  if (value === undefined) return;
  if (!isWide) {
    if (isPacked(form.type)) form.refuse(`needs packed operands for a result of .${form.type}`);
    return form.lowering.assign(form.result, value);
  }
  const kind = isPacked(form.type) ? scalarOf(form.type) : isFloat(form.type) ? undefined : 'u16';
  if (kind === undefined) return form.refuse(`cannot store two results in .${form.type}`);
  form.lowering.assign(form.result, bits('u32', vector(vectorType(kind, 2), values)));
});

/** The value for true: all bits, or 1.0. */
function yes(type: ArithmeticType, truth: Expression, isHalf: boolean): Expression {
  if (isFloat(type)) return choose(truth, number(scalarOf(type), 1), 0);
  const kind = isHalf || type.endsWith('16') ? 'u16' : 'u32';
  return choose(truth, constant(kind, kind === 'u16' ? 0xffff : 0xffffffff), 0);
}

const scalars = [...bitTypes, ...signedTypes, ...unsignedTypes, 'f32', 'f64'] as const;

const selp = lowered({ types: [scalars], operands: 4 }, (form) => {
  const condition = form.lowering.predicate(form.operand(3));
  form.lowering.assign(form.result, choose(condition, form.value(1), form.value(2)));
});

const slct = lowered({ modifiers: [['ftz']], types: [scalars, ['s32', 'f32']], operands: 4 }, (form) => {
  if (form.says('ftz') && form.types[1] !== 'f32') form.refuse('uses .ftz, which is for .f32 only');
  // Flushing a subnormal to zero makes a difference only if it is negative.
  const c = signOperand(form.lowering, form.operand(3), form.types[1] === 'f32', form.says('ftz'));
  form.lowering.assign(
    form.result,
    choose(compare('ge', c, number(form.types[1] === 'f32' ? 'f32' : 'i32', 0)), form.value(1), form.value(2)),
  );
});

function signOperand(lowering: Lowering, operand: PtxOperand, isF32: boolean, ftz: boolean): Expression {
  const value = lowering.value(operand, isF32 ? 'f32' : 'i32');
  return ftz ? flushed(storedInLocal(lowering, 'c', value)) : value;
}

export const compareLowerings: LoweringTable = { setp, set, selp, slct };

import type { InstructionLowering, LoweringTable } from '../lowering.ts';
import { bitcast, math, unary, vector, vectorType, type Expression } from '@nccl-ts/ir';
import { abs, add, and, bits, choose, element, is, max, min, mul, shl, shr, sub, to } from './build.ts';
import { isPacked, lowered, scalarOf, type ArithmeticType, type InstructionForm } from './form.ts';
import { highProduct, wideOf, wideProduct } from './product.ts';

export const integers = ['u16', 'u32', 'u64', 's16', 's32', 's64'] as const;
const signed = ['s16', 's32', 's64'] as const;
const packed = ['u16x2', 's16x2'] as const;

/** The operand as an integer, or as a pair of 16-bit integers. */
function source(form: InstructionForm, index: number): Expression {
  if (!isPacked(form.type)) return form.value(index);
  return bitcast(vectorType(scalarOf(form.type), 2), form.value(index, 'u32'));
}

function give(form: InstructionForm, value: Expression): void {
  form.lowering.assign(form.result, isPacked(form.type) ? bits('u32', value) : value);
}

/** Modifiers that only signed words of 32 bits support. */
function onlyS32(form: InstructionForm, modifier: string): boolean {
  if (!form.says(modifier)) return false;
  return form.type === 's32' || form.refuse(`cannot use .${modifier}: of the integer types, only .s32 has it`);
}

/** The sum of doubles is exact, and its conversion saturates. */
function saturated(op: typeof add, a: Expression, b: Expression): Expression {
  return to('i32', op(to('f64', a), to('f64', b)));
}

function sum(op: typeof add): InstructionLowering {
  return lowered({ modifiers: [['sat']], types: [[...integers, ...packed]], operands: 3 }, (form) => {
    const [a, b] = [source(form, 1), source(form, 2)];
    give(form, onlyS32(form, 'sat') ? saturated(op, a, b) : op(a, b));
  });
}

export const addIntegers: InstructionLowering = sum(add);
export const subIntegers: InstructionLowering = sum(sub);

const parts = ['lo', 'hi', 'wide'] as const;

function part(form: InstructionForm): (typeof parts)[number] {
  return form.which(parts) ?? form.refuse('needs .lo, .hi or .wide');
}

function product(form: InstructionForm): Expression {
  const [a, b] = [form.value(1), form.value(2)];
  switch (part(form)) {
    case 'lo':
      return mul(a, b);
    case 'hi':
      return highProduct(form.lowering, a, b);
    case 'wide':
      return wideProduct(a, b) ?? form.refuse('has a product of 128 bits, which is not supported');
  }
}

export const mulIntegers: InstructionLowering = lowered(
  { modifiers: [parts], types: [integers], operands: 3 },
  (form) => form.lowering.assign(form.result, product(form)),
);

export const madIntegers: InstructionLowering = lowered(
  { modifiers: [parts, ['sat']], types: [integers], operands: 4 },
  (form) => {
    const scalar = scalarOf(form.type);
    const value = product(form);
    const c = form.value(3, part(form) === 'wide' ? wideOf(scalar) : scalar);
    if (onlyS32(form, 'sat') && part(form) !== 'hi') form.refuse('can use .sat only with .hi');
    form.lowering.assign(form.result, form.says('sat') ? saturated(add, value, c) : add(value, c));
  },
);

/** The low or high 32 bits of the 48-bit product of two 24-bit factors. */
function product24(form: InstructionForm): Expression {
  const cut = (e: Expression): Expression => (form.type === 's32' ? shr(shl(e, 8), 8) : and(e, 0xffffff));
  const [a, b] = [cut(form.value(1)), cut(form.value(2))];
  if (form.says('lo')) return mul(a, b);
  if (!form.says('hi')) form.refuse('needs .lo or .hi');
  // A double holds all 48 bits.
  const whole = mul(to('f64', a), to('f64', b));
  return to(scalarOf(form.type), math('floor', [mul(whole, 2 ** -16)]));
}

const words32 = ['u32', 's32'] as const;

const mul24 = lowered({ modifiers: [['lo', 'hi']], types: [words32], operands: 3 }, (form) =>
  form.lowering.assign(form.result, product24(form)),
);

const mad24 = lowered({ modifiers: [['lo', 'hi'], ['sat']], types: [words32], operands: 4 }, (form) => {
  const [value, c] = [product24(form), form.value(3)];
  if (onlyS32(form, 'sat') && !form.says('hi')) form.refuse('can use .sat only with .hi');
  form.lowering.assign(form.result, form.says('sat') ? saturated(add, value, c) : add(value, c));
});

const sad = lowered({ types: [integers], operands: 4 }, (form) => {
  const [a, b] = [form.value(1), form.value(2)];
  form.lowering.assign(form.result, add(form.value(3), choose(is('lt', a, b), sub(b, a), sub(a, b))));
});

export const absIntegers: InstructionLowering = lowered({ types: [signed], operands: 2 }, (form) =>
  form.lowering.assign(form.result, abs(form.value(1))),
);

export const negIntegers: InstructionLowering = lowered({ types: [signed], operands: 2 }, (form) =>
  form.lowering.assign(form.result, unary('neg', form.value(1))),
);

function extreme(op: typeof min): InstructionLowering {
  return lowered({ modifiers: [['relu']], types: [[...integers, ...packed]], operands: 3 }, (form) => {
    const value = op(source(form, 1), source(form, 2));
    if (!form.says('relu')) return give(form, value);
    if (form.type === 's32') return give(form, max(value, 0));
    if (form.type !== 's16x2') form.refuse('cannot use .relu: of the integer types, only .s32 and .s16x2 have it');
    const pair = [element(value, 0), element(value, 1)].map((e) => max(e, 0));
    give(form, vector(vectorType('i16', 2), pair));
  });
}

export const minIntegers: InstructionLowering = extreme(min);
export const maxIntegers: InstructionLowering = extreme(max);

/** `dp4a` has four products of bytes. `dp2a` has two products of a half word and a byte. */
function dot(width: 8 | 16): InstructionLowering {
  const modifiers = width === 8 ? [] : [['lo', 'hi']];
  return lowered({ modifiers, types: [words32, words32], operands: 4 }, (form) => {
    if (width === 16 && form.which(['lo', 'hi']) === undefined) form.refuse('needs .lo or .hi');
    const isSigned = form.types.includes('s32');
    const [left, right] = form.types;
    const first = width === 16 && form.says('hi') ? 2 : 0;
    let total = form.value(3, isSigned ? 'i32' : 'u32');
    for (let i = 0; i < 32 / width; i++) {
      const a = piece(form, 1, left ?? 'u32', i, width);
      const b = piece(form, 2, right ?? 'u32', first + i, 8);
      total = add(total, mul(to(isSigned ? 'i32' : 'u32', a), to(isSigned ? 'i32' : 'u32', b)));
    }
    form.lowering.assign(form.result, total);
  });
}

/** Part number `index` of an operand, sign-extended if the type is signed. */
function piece(form: InstructionForm, operand: number, type: ArithmeticType, index: number, width: number): Expression {
  const value = form.value(operand, scalarOf(type));
  const high = 32 - width * (index + 1);
  return shr(high === 0 ? value : shl(value, high), 32 - width);
}

/** Integer instructions that belong to no other group. */
export const integerLowerings: LoweringTable = { mul24, mad24, sad, dp4a: dot(8), dp2a: dot(16) };

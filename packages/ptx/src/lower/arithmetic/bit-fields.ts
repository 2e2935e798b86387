import type { LoweringTable } from '../lowering.ts';
import { type Expression } from '@nccl-ts/ir';
import { and, choose, constantOf, is, kindOf, min, not, number, or, shl, shr, sub, to, add } from './build.ts';
import { storedInLocal, lowered, type InstructionForm } from './form.ts';
import { shiftLeft, shiftRight, widthOf } from './shifts.ts';

/** The low byte of a u32 operand: a position or a length. */
function byteOf(form: InstructionForm, index: number): Expression {
  const value = form.value(index, 'u32');
  const known = constantOf(value);
  return known === undefined ? form.lowering.keep('bits', and(value, 255)) : number('u32', known & 255);
}

/** `left - right` of u32 counts. */
function difference(left: number, right: Expression): Expression {
  const known = constantOf(right);
  return known === undefined ? sub(number('u32', left), right) : number('u32', left - known);
}

function least(bits: Expression, width: number): Expression {
  const known = constantOf(bits);
  return known === undefined ? min(bits, width) : number('u32', Math.min(known, width));
}

/** Extracts a field and extends its sign, by a shift to the top and back. */
const bfe = lowered({ types: [['u32', 's32', 'u64', 's64']], operands: 4 }, (form) => {
  const { lowering } = form;
  const [position, length] = [byteOf(form, 2), byteOf(form, 3)];
  const value = shiftRight(lowering, form.value(1), position);
  const width = widthOf(value);
  const unused = storedInLocal(lowering, 'unused', difference(width, least(length, width)));
  const known = constantOf(unused);
  const kind = kindOf(value);
  // An empty field is 0, but an arithmetic shift would leave the sign.
  if (known === width) return lowering.assign(form.result, number(kind, 0));
  if (known !== undefined) return lowering.assign(form.result, known === 0 ? value : shr(shl(value, known), known));
  const amount = to(kind, and(unused, width - 1));
  lowering.assign(form.result, choose(is('eq', length, 0), number(kind, 0), shr(shl(value, amount), amount)));
});

/** A mask of `length` bits from bit 0. It has all bits if `length` is the width or more. */
function lowMask(form: InstructionForm, like: Expression, length: Expression): Expression {
  const ones = shiftLeft(form.lowering, not(number(kindOf(like), 0)), length);
  return not(ones);
}

const bfi = lowered({ types: [['b32', 'b64']], operands: 5 }, (form) => {
  const { lowering } = form;
  const [a, b] = [form.value(1), storedInLocal(lowering, 'b', form.value(2))];
  const [position, length] = [byteOf(form, 3), byteOf(form, 4)];
  const mask = storedInLocal(lowering, 'mask', shiftLeft(lowering, lowMask(form, a, length), position));
  const moved = shiftLeft(lowering, a, position);
  lowering.assign(form.result, or(and(b, not(mask)), and(moved, mask)));
});

const modes = ['clamp', 'wrap'] as const;

function count(form: InstructionForm, index: number): Expression {
  const value = form.value(index, 'u32');
  const mode = form.which(modes) ?? form.refuse('needs .clamp or .wrap');
  return form.lowering.keep('bits', mode === 'wrap' ? and(value, 31) : min(value, 32));
}

const bmsk = lowered({ modifiers: [modes], types: [['b32']], operands: 3 }, (form) => {
  const { lowering } = form;
  const [first, length] = [count(form, 1), count(form, 2)];
  const all = number('u32', 0xffffffff);
  const from = shiftLeft(lowering, all, first);
  const behind = shiftLeft(lowering, all, add(first, length));
  lowering.assign(form.result, and(from, not(behind)));
});

const szext = lowered({ modifiers: [modes], types: [['u32', 's32']], operands: 3 }, (form) => {
  const { lowering } = form;
  const [value, length] = [form.value(1), count(form, 2)];
  const kind = kindOf(value);
  const amount = lowering.keep('amount', and(sub(number('u32', 32), length), 31));
  const extended = shr(shl(value, to(kind, amount)), to(kind, amount));
  lowering.assign(form.result, choose(is('eq', length, 0), number(kind, 0), extended));
});

export const bitFieldLowerings: LoweringTable = { bfe, bfi, bmsk, szext };

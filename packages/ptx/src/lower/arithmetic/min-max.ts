import { at } from '@nccl-ts/core';
import type { InstructionLowering } from '../lowering.ts';
import { binary, type Expression } from '@nccl-ts/ir';
import { abs, and, bits, choose, either, isNaN, kindOf, number, or, xor } from './build.ts';
import { bitsOf, floatSource, give } from './float-modes.ts';
import { elementwise, halves } from './float.ts';
import { isPacked, storedInLocal, lowered, type InstructionForm } from './form.ts';

const modes = ['f32', 'f16', 'f16x2'] as const;

/** A number is preferred to a NaN, or a NaN to a number with `.NaN`. -0 is below +0. */
function extreme(op: 'min' | 'max'): InstructionLowering {
  const modifiers = [['ftz'], ['NaN'], ['xorsign'], ['abs']];
  return lowered({ modifiers, types: [['f32', 'f64', ...halves]], operands: [3, 4] }, (form) => {
    const { lowering } = form;
    const count = form.instruction.operands.length - 1;
    if (form.type === 'f64' && (form.says('NaN') || form.says('xorsign'))) form.refuse('takes no modifiers with .f64');
    if (form.says('ftz') && !modes.some((type) => type === form.type))
      form.refuse(`cannot use .ftz with .${form.type}`);
    if (form.says('xorsign') !== form.says('abs')) form.refuse('must name .xorsign and .abs together');
    if (count === 3 && (form.type !== 'f32' || form.says('abs')))
      form.refuse('takes two operands with this type and these modifiers');
    const isPlainExtreme = !form.says('NaN') && !form.says('xorsign');
    elementwiseExtreme(form, count, isPlainExtreme, (given) => {
      const args = isPlainExtreme ? given : given.map((arg) => storedInLocal(lowering, 'arg', arg));
      const sizes = form.says('abs') ? args.map(abs) : args;
      const value = sizes.reduce((a, b) => binary(op, a, b));
      const checked = form.says('NaN') ? nanIf(args.map(isNaN).reduce(either), value) : value;
      return form.says('xorsign') ? signed(checked, args) : checked;
    });
  });
}

function nanIf(condition: Expression, value: Expression): Expression {
  return choose(condition, number(kindOf(value), Number.NaN), value);
}

function elementwiseExtreme(
  form: InstructionForm,
  count: number,
  isVector: boolean,
  op: (args: readonly Expression[]) => Expression,
): void {
  if (isVector) return elementwise(form, count, op);
  const sources = Array.from({ length: count }, (_, index) => floatSource(form, index + 1));
  const width = isPacked(form.type) ? 2 : 1;
  const results = Array.from({ length: width }, (_, lane) => op(sources.map((elements) => at(elements, lane))));
  give(form, results);
}

/** The magnitude with the combined sign of the operands. */
function signed(value: Expression, args: readonly Expression[]): Expression {
  const sign = args.map(bitsOf).reduce(xor);
  const mask = kindOf(sign) === 'u32' ? 0x80000000 : 0x8000;
  const kind = kindOf(value);
  return bits(kind, or(bitsOf(value), and(sign, mask)));
}

export const minFloats: InstructionLowering = extreme('min');
export const maxFloats: InstructionLowering = extreme('max');

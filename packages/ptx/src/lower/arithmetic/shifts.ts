import { wordTable } from '@nccl-ts/core';
import type { InstructionLowering, LoweringTable, Lowering } from '../lowering.ts';
import type { Expression } from '@nccl-ts/ir';
import { choose, constantOf, is, kindOf, min, number, or, shl, shr, sub, to, and } from './build.ts';
import { storedInLocal, lowered, scalarOf } from './form.ts';

const widths: Readonly<Record<string, number>> = wordTable({ u8: 8, i8: 8, u16: 16, i16: 16, u64: 64, i64: 64 });

/** The bits of an integer. */
export function widthOf(e: Expression): number {
  return widths[kindOf(e)] ?? 32;
}

/** `value << count` of a u32 count. It is zero if the count is the width or more. */
export function shiftLeft(lowering: Lowering, value: Expression, count: Expression): Expression {
  return clamped(lowering, value, count, shl);
}

/**
 * `value >> count` of a u32 count. If the count is the width or more, the result is the sign, or
 * zero for unsigned values.
 */
export function shiftRight(lowering: Lowering, value: Expression, count: Expression): Expression {
  const kind = kindOf(value);
  const width = widthOf(value);
  if (kind.startsWith('u')) return clamped(lowering, value, count, shr);
  const known = constantOf(count);
  if (known !== undefined) return shr(value, Math.min(known, width - 1));
  return shr(value, to(kind, min(count, width - 1)));
}

function clamped(lowering: Lowering, value: Expression, count: Expression, shift: typeof shl): Expression {
  const kind = kindOf(value);
  const width = widthOf(value);
  const known = constantOf(count);
  if (known === 0) return value;
  if (known !== undefined) return known < width ? shift(value, known) : number(kind, 0);
  const amount = storedInLocal(lowering, 'count', count);
  return choose(is('lt', amount, width), shift(value, to(kind, amount)), number(kind, 0));
}

const bits = ['b16', 'b32', 'b64'] as const;
const integers = ['u16', 'u32', 'u64', 's16', 's32', 's64'] as const;

const shlLowering = lowered({ types: [bits], operands: 3 }, ({ lowering, result, value }) =>
  lowering.assign(result, shiftLeft(lowering, value(1), value(2, 'u32'))),
);

const shrLowering = lowered({ types: [[...bits, ...integers]], operands: 3 }, ({ lowering, result, value }) =>
  lowering.assign(result, shiftRight(lowering, value(1), value(2, 'u32'))),
);

/** The high word of 64 bits after a left shift, or the low word after a right shift. */
const shf: InstructionLowering = lowered(
  {
    modifiers: [
      ['l', 'r'],
      ['wrap', 'clamp'],
    ],
    types: [['b32']],
    operands: 4,
  },
  (form) => {
    const { lowering } = form;
    const direction = form.which(['l', 'r']) ?? form.refuse('needs .l or .r');
    const mode = form.which(['wrap', 'clamp']) ?? form.refuse('needs .wrap or .clamp');
    const count = form.value(3, scalarOf('b32'));
    const known = constantOf(count);
    const cut = mode === 'wrap' ? and(count, 31) : min(count, 32);
    const amount =
      known === undefined
        ? lowering.keep('count', cut)
        : number('u32', mode === 'wrap' ? known & 31 : Math.min(known >>> 0, 32));
    const known32 = constantOf(amount);
    const rest = known32 === undefined ? sub(number('u32', 32), amount) : number('u32', 32 - known32);
    const [low, high] = [form.value(1), form.value(2)];
    const [left, right] = direction === 'l' ? [amount, rest] : [rest, amount];
    lowering.assign(form.result, or(shiftLeft(lowering, high, left), shiftRight(lowering, low, right)));
  },
);

export const shiftLowerings: LoweringTable = { shl: shlLowering, shr: shrLowering, shf };

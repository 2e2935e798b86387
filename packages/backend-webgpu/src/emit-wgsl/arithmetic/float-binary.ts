import type { ScalarKind } from '@nccl-ts/core';
import type { BinaryOp } from '@nccl-ts/ir';
import { maxF32, minF32 } from '../library/float-order.ts';
import { divF32, remF32 } from '../library/exact-f32.ts';
import { addF32, mulF32, nativeF32, subF32 } from '../library/native-f32.ts';
import { call, unsupported, type ArithmeticContext } from './context.ts';
import { isConstantText } from './literal.ts';
import { roundedText } from './round-text.ts';

const symbols = { add: '+', sub: '-', mul: '*' };
const guarded = { add: addF32, sub: subF32, mul: mulF32 };

/**
 * Returns `a op b` for two floats. It is computed as f32 and rounded to `kind`. 24 digits are
 * enough for this to equal a single rounding.
 */
export function floatBinary(op: BinaryOp, kind: ScalarKind, a: string, b: string, c: ArithmeticContext): string {
  const constant = isConstantText(a) && isConstantText(b);
  switch (op) {
    case 'add':
    case 'sub':
    case 'mul': {
      const native = !c.exact && !constant;
      return roundedText(kind, native ? `(${a} ${symbols[op]} ${b})` : call(c, guarded[op], a, b), c);
    }
    case 'div': {
      if (c.exact) return roundedText(kind, call(c, divF32, a, b), c);
      const native = constant ? call(c, nativeF32('div', ['a', 'b'], 'a / b'), a, b) : `(${a} / ${b})`;
      return roundedText(kind, native, c);
    }
    case 'rem':
      return roundedText(kind, call(c, remF32, a, b), c);
    case 'min':
      return call(c, minF32, a, b);
    case 'max':
      return call(c, maxF32, a, b);
    case 'and':
    case 'or':
    case 'xor':
    case 'shl':
    case 'shr':
      throw unsupported(op, kind);
  }
}

import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { hasUnary, type UnaryOp } from '@nccl-ts/ir';
import { negF32 } from '../library/native-f32.ts';
import { clzU64, ctzU64, negU64, popcountU64 } from '../library/wide-integers.ts';
import { call, unsupported, type ArithmeticContext } from './context.ts';
import { isConstantText } from './literal.ts';
import { wgslScalar } from './representation.ts';
import { wrappedText } from './round-text.ts';

/**
 * Returns `op a` for a scalar of `kind`. The text is an atom or parenthesized, and so is the
 * result.
 */
export function unaryText(op: UnaryOp, kind: ScalarKind, a: string, c: ArithmeticContext): string {
  if (!hasUnary(op, kind)) throw unsupported(op, kind);
  switch (wgslScalar(kind)) {
    case 'bool':
      return `(!${a})`;
    case 'f32':
      return isConstantText(a) ? call(c, negF32, a) : `(-${a})`;
    case 'vec2u':
      return wideUnary(op, a, c);
    case 'i32':
    case 'u32':
      return narrowUnary(op, kind, a);
  }
}

function narrowUnary(op: UnaryOp, kind: ScalarKind, a: string): string {
  const { bits } = scalarInfo[kind];
  const signed = wgslScalar(kind) === 'i32';
  const suffix = signed ? 'i' : 'u';
  switch (op) {
    case 'neg':
      return wrappedText(kind, `(0${suffix} - ${a})`);
    case 'not':
      throw unsupported(op, kind);
    case 'bitNot':
      return signed ? `(~${a})` : wrappedText(kind, `(~${a})`);
    case 'popcount':
      return `countOneBits(${lowBits(kind, a)})`;
    case 'clz': {
      const zeros = `countLeadingZeros(${lowBits(kind, a)})`;
      return bits === 32 ? zeros : `(${zeros} - ${32 - bits}${suffix})`;
    }
    case 'ctz':
      return bits === 32 ? `countTrailingZeros(${a})` : `min(countTrailingZeros(${a}), ${bits}${suffix})`;
  }
}

/** Removes the copies of the sign above a narrow integer. */
function lowBits(kind: ScalarKind, a: string): string {
  const { bits, signed } = scalarInfo[kind];
  return signed && bits < 32 ? `(${a} & ${2 ** bits - 1}i)` : a;
}

function wideUnary(op: UnaryOp, a: string, c: ArithmeticContext): string {
  switch (op) {
    case 'neg':
      return call(c, negU64, a);
    case 'not':
      throw unsupported(op, 'u64');
    case 'bitNot':
      return `(~${a})`;
    case 'popcount':
      return call(c, popcountU64, a);
    case 'clz':
      return call(c, clzU64, a);
    case 'ctz':
      return call(c, ctzU64, a);
  }
}

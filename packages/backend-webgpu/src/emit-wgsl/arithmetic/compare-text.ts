import type { ScalarKind } from '@nccl-ts/core';
import { hasCompare, type CompareOp } from '@nccl-ts/ir';
import { equalF32, lessEqualF32, lessF32 } from '../library/float-order.ts';
import { lessI64, lessU64 } from '../library/wide-integers.ts';
import { call, unsupported, type ArithmeticContext } from './context.ts';
import { wgslScalar } from './representation.ts';

const symbols: Readonly<Record<CompareOp, string>> = { eq: '==', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=' };

/**
 * `a op b` of two scalars of `kind`, of type bool; the texts are atoms or parenthesized, and so is
 * the result.
 */
export function compareText(op: CompareOp, kind: ScalarKind, a: string, b: string, c: ArithmeticContext): string {
  if (!hasCompare(op, kind)) throw unsupported(op, kind);
  switch (wgslScalar(kind)) {
    case 'bool':
    case 'i32':
    case 'u32':
      return `(${a} ${symbols[op]} ${b})`;
    case 'f32':
      return c.exact ? floatCompare(op, a, b, c) : nativeCompare(op, a, b);
    case 'vec2u':
      return wideCompare(op, kind === 'i64', a, b, c);
  }
}

/** SPIR-V's form of `!=` is false for a NaN. */
function nativeCompare(op: CompareOp, a: string, b: string): string {
  return op === 'ne' ? `(!(${a} == ${b}))` : `(${a} ${symbols[op]} ${b})`;
}

function floatCompare(op: CompareOp, a: string, b: string, c: ArithmeticContext): string {
  switch (op) {
    case 'eq':
      return call(c, equalF32, a, b);
    case 'ne':
      return `(!${call(c, equalF32, a, b)})`;
    case 'lt':
      return call(c, lessF32, a, b);
    case 'le':
      return call(c, lessEqualF32, a, b);
    case 'gt':
      return call(c, lessF32, b, a);
    case 'ge':
      return call(c, lessEqualF32, b, a);
  }
}

function wideCompare(op: CompareOp, signed: boolean, a: string, b: string, c: ArithmeticContext): string {
  const less = signed ? lessI64 : lessU64;
  switch (op) {
    case 'eq':
      return `all(${a} == ${b})`;
    case 'ne':
      return `any(${a} != ${b})`;
    case 'lt':
      return call(c, less, a, b);
    case 'le':
      return `(!${call(c, less, b, a)})`;
    case 'gt':
      return call(c, less, b, a);
    case 'ge':
      return `(!${call(c, less, a, b)})`;
  }
}

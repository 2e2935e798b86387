import { compare, unary, type CompareOp, type Expression } from '@nccl-ts/ir';

const opposite: Readonly<Record<CompareOp, CompareOp>> = { eq: 'ne', ne: 'eq', lt: 'ge', ge: 'lt', gt: 'le', le: 'gt' };
const floats: ReadonlySet<string> = new Set(['f16', 'bf16', 'f32', 'f64', 'e4m3', 'e5m2']);

/** Negates a bool. Comparisons are inverted if no NaN is possible. */
export function negate(e: Expression): Expression {
  if (e.kind === 'unary' && e.op === 'not') return e.operand;
  if (e.kind === 'compare' && (e.op === 'eq' || e.op === 'ne' || !isFloat(e.left))) {
    return compare(opposite[e.op], e.left, e.right, e.span);
  }
  return unary('not', e, e.span);
}

function isFloat({ type }: Expression): boolean {
  return type.kind === 'scalar' && floats.has(type.scalar);
}

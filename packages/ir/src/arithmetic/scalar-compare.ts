import type { CompareOp } from '../expression.ts';
import type { ScalarValue } from './scalar-value.ts';

/**
 * Computes `a op b` of two values of one scalar. A NaN is not equal to, below or above any value.
 * -0 equals 0. The language has only `eq` and `ne` for bools, but here false is also below true.
 */
export function scalarCompare(op: CompareOp, a: ScalarValue, b: ScalarValue): boolean {
  return table[op](ordered(a), ordered(b));
}

const ordered = (value: ScalarValue): number | bigint => (typeof value === 'boolean' ? Number(value) : value);

const table: Readonly<Record<CompareOp, (a: number | bigint, b: number | bigint) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

import type { ScalarKind } from '@nccl-ts/core';
import { scalarInfo } from '@nccl-ts/core';
import type { BinaryOp } from '../expression.ts';
import { oneNaN } from './one-nan.ts';
import { roundFloat, wrapBigint, wrapNumber } from './round.ts';
import { asBigint, asNumber, isWide, undefinedOperation, type ScalarFault, type ScalarValue } from './scalar-value.ts';

/**
 * `a op b` in the scalar `kind`, exactly as the language defines it: integers wrap, floats round
 * once, `addr` is range-checked. A fault is returned by its name.
 *
 * Both operands must be values of `kind` (`isScalarValue`), and `kind` must support `op`. Otherwise
 * throws `NCCL_INTERNAL_ERROR`.
 */
export function scalarBinary(
  op: BinaryOp,
  kind: ScalarKind,
  a: ScalarValue,
  b: ScalarValue,
): ScalarValue | ScalarFault {
  if (isWide(kind)) return wide[op](asBigint(kind, a), asBigint(kind, b), kind);
  const x = asNumber(kind, a);
  const y = asNumber(kind, b);
  switch (scalarInfo[kind].class) {
    case 'int':
      return narrow[op](x, y, kind);
    case 'float':
      return ofFloats(op, kind, x, y);
    case 'addr':
      return ofAddresses(op, x, y);
    case 'bool':
      throw undefinedOperation(op, kind);
  }
}

type Wide = (a: bigint, b: bigint, kind: ScalarKind) => bigint | ScalarFault;

const smallest = (kind: ScalarKind): bigint => scalarInfo[kind].min ?? 0n;

const wide: Readonly<Record<BinaryOp, Wide>> = {
  add: (a, b, kind) => wrapBigint(kind, a + b),
  sub: (a, b, kind) => wrapBigint(kind, a - b),
  mul: (a, b, kind) => wrapBigint(kind, a * b),
  div: (a, b, kind) => divisionFault(b === 0n, b === -1n && a === smallest(kind)) ?? a / b,
  rem: (a, b, kind) => divisionFault(b === 0n, b === -1n && a === smallest(kind)) ?? a % b,
  and: (a, b, kind) => wrapBigint(kind, a & b),
  or: (a, b, kind) => wrapBigint(kind, a | b),
  xor: (a, b, kind) => wrapBigint(kind, a ^ b),
  shl: (a, b, kind) => wrapBigint(kind, a << (b & 63n)),
  shr: (a, b) => a >> (b & 63n),
  min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a > b ? a : b),
};

type Narrow = (a: number, b: number, kind: ScalarKind) => number | ScalarFault;

const shiftMask = (kind: ScalarKind): number => scalarInfo[kind].bits - 1;
const overflows = (a: number, b: number, kind: ScalarKind): boolean => b === -1 && a === Number(smallest(kind));

// A quotient of zero may be -0, which the wrap turns into 0.
const narrow: Readonly<Record<BinaryOp, Narrow>> = {
  add: (a, b, kind) => wrapNumber(kind, a + b),
  sub: (a, b, kind) => wrapNumber(kind, a - b),
  mul: (a, b, kind) => wrapNumber(kind, Math.imul(a, b)),
  div: (a, b, kind) => divisionFault(b === 0, overflows(a, b, kind)) ?? wrapNumber(kind, Math.trunc(a / b)),
  rem: (a, b, kind) => divisionFault(b === 0, overflows(a, b, kind)) ?? wrapNumber(kind, a % b),
  and: (a, b, kind) => wrapNumber(kind, a & b),
  or: (a, b, kind) => wrapNumber(kind, a | b),
  xor: (a, b, kind) => wrapNumber(kind, a ^ b),
  shl: (a, b, kind) => wrapNumber(kind, a << (b & shiftMask(kind))),
  shr: (a, b, kind) =>
    wrapNumber(kind, scalarInfo[kind].signed ? a >> (b & shiftMask(kind)) : a >>> (b & shiftMask(kind))),
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
};

function divisionFault(zero: boolean, overflow: boolean): ScalarFault | undefined {
  if (zero) return 'divisionByZero';
  return overflow ? 'divisionOverflow' : undefined;
}

// For + - * /, rounding to double and then to a type with at most half its digits is the same as
// rounding once.
function ofFloats(op: BinaryOp, kind: ScalarKind, a: number, b: number): number {
  const info = scalarInfo[kind];
  if (info.bits === 8) throw undefinedOperation(op, kind);
  switch (op) {
    case 'add':
      return roundFloat(kind, a + b);
    case 'sub':
      return roundFloat(kind, a - b);
    case 'mul':
      return roundFloat(kind, a * b);
    case 'div':
      return roundFloat(kind, a / b);
    case 'rem':
      return roundFloat(kind, oneNaN(a % b));
    case 'min':
      return a !== a ? b : b !== b ? a : Math.min(a, b);
    case 'max':
      return a !== a ? b : b !== b ? a : Math.max(a, b);
    case 'and':
    case 'or':
    case 'xor':
    case 'shl':
    case 'shr':
      throw undefinedOperation(op, kind);
  }
}

// Rounding to double keeps a value of 2^53 or more at 2^53 or more, so the check is exact.
function ofAddresses(op: BinaryOp, a: number, b: number): number | ScalarFault {
  if (op !== 'add' && op !== 'sub' && op !== 'mul') throw undefinedOperation(op, 'addr');
  const result = op === 'add' ? a + b : op === 'sub' ? a - b : a * b;
  return result >= 0 && result <= Number.MAX_SAFE_INTEGER ? result : 'addressRange';
}

import type { ScalarKind } from '@nccl-ts/core';
import { scalarInfo } from '@nccl-ts/core';
import type { UnaryOp } from '../expression.ts';
import { wrapBigint, wrapNumber } from './round.ts';
import {
  asBigint,
  asBoolean,
  asNumber,
  isFloatKind,
  isIntegerKind,
  isWide,
  undefinedOperation,
  type ScalarValue,
} from './scalar-value.ts';

/**
 * Computes `op a` in the scalar `kind`, exactly as the language defines it. `clz` and `ctz` of zero
 * return the width.
 *
 * `a` must be a value of `kind`, and `kind` must support `op`. Otherwise throws
 * `NCCL_INTERNAL_ERROR`.
 */
export function scalarUnary(op: UnaryOp, kind: ScalarKind, a: ScalarValue): ScalarValue {
  if (op === 'not') {
    if (kind !== 'bool') throw undefinedOperation(op, kind);
    return !asBoolean(kind, a);
  }
  if (op === 'neg' && isFloatKind(kind) && scalarInfo[kind].bits > 8) return -asNumber(kind, a);
  if (!isIntegerKind(kind)) throw undefinedOperation(op, kind);
  return isWide(kind) ? ofBigint(op, kind, asBigint(kind, a)) : ofNumber(op, kind, asNumber(kind, a));
}

type IntegerOp = Exclude<UnaryOp, 'not'>;

function ofNumber(op: IntegerOp, kind: ScalarKind, a: number): number {
  switch (op) {
    case 'neg':
      return wrapNumber(kind, 0 - a);
    case 'bitNot':
      return wrapNumber(kind, ~a);
    case 'popcount':
    case 'clz':
    case 'ctz':
      return countBits(op, unsignedBits(kind, BigInt(a)));
  }
}

function ofBigint(op: IntegerOp, kind: ScalarKind, a: bigint): bigint {
  switch (op) {
    case 'neg':
      return wrapBigint(kind, -a);
    case 'bitNot':
      return wrapBigint(kind, ~a);
    case 'popcount':
    case 'clz':
    case 'ctz':
      return BigInt(countBits(op, unsignedBits(kind, a)));
  }
}

/** The bits of an integer, highest first. */
function unsignedBits(kind: ScalarKind, a: bigint): string {
  const { bits } = scalarInfo[kind];
  return BigInt.asUintN(bits, a).toString(2).padStart(bits, '0');
}

function countBits(op: 'popcount' | 'clz' | 'ctz', bits: string): number {
  switch (op) {
    case 'popcount':
      return bits.replaceAll('0', '').length;
    case 'clz':
      return bits.includes('1') ? bits.indexOf('1') : bits.length;
    case 'ctz':
      return bits.includes('1') ? bits.length - 1 - bits.lastIndexOf('1') : bits.length;
  }
}

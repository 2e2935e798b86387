import { NcclError, scalarInfo, showValue, type ScalarKind } from '@nccl-ts/core';
import { roundFloat } from './round.ts';

/**
 * A scalar as a JavaScript value: a boolean for bool, a bigint for i64 and u64, and otherwise a
 * number. The number of a float is already rounded to its type.
 */
export type ScalarValue = number | bigint | boolean;

/** The reason why an operation has no result. */
export type ScalarFault =
  /** Integer division, or its remainder, by zero. */
  | 'divisionByZero'
  /** Integer division of the smallest value by -1. */
  | 'divisionOverflow'
  /** An address or byte offset below 0 or above 2^53 - 1. */
  | 'addressRange';

/** True if a result is a fault rather than a value. */
export function isFault(result: unknown): result is ScalarFault {
  return typeof result === 'string';
}

/** i64 and u64, whose values are bigints. */
export type WideKind = 'i64' | 'u64';

export function isWide(kind: ScalarKind): kind is WideKind {
  return kind === 'i64' || kind === 'u64';
}

export function isIntegerKind(kind: ScalarKind): boolean {
  return scalarInfo[kind].class === 'int';
}

export function isFloatKind(kind: ScalarKind): boolean {
  return scalarInfo[kind].class === 'float';
}

/**
 * True if a constant of `kind` may hold `value`. It must have the right JavaScript type, be in
 * range, and be rounded.
 */
export function isScalarValue(kind: ScalarKind, value: ScalarValue): boolean {
  const info = scalarInfo[kind];
  if (info.class === 'bool') return typeof value === 'boolean';
  if (isWide(kind)) return typeof value === 'bigint' && value >= (info.min ?? 0n) && value <= (info.max ?? 0n);
  if (typeof value !== 'number') return false;
  if (info.class === 'float') return Object.is(roundFloat(kind, value), value);
  return Number.isInteger(value) && !Object.is(value, -0) && value >= Number(info.min) && value <= Number(info.max);
}

/**
 * Returns the number in `value`. Throws `NCCL_INTERNAL_ERROR` if values of `kind` are not numbers,
 * or if this one is not.
 */
export function asNumber(kind: ScalarKind, value: ScalarValue): number {
  if (typeof value !== 'number') throw wrongValue(kind, value);
  return value;
}

export function asBigint(kind: ScalarKind, value: ScalarValue): bigint {
  if (typeof value !== 'bigint') throw wrongValue(kind, value);
  return value;
}

export function asBoolean(kind: ScalarKind, value: ScalarValue): boolean {
  if (typeof value !== 'boolean') throw wrongValue(kind, value);
  return value;
}

function wrongValue(kind: ScalarKind, value: ScalarValue): NcclError {
  const allowed = kind === 'bool' ? 'a boolean' : isWide(kind) ? 'a bigint' : 'a number';
  return new NcclError(
    'NCCL_INTERNAL_ERROR',
    `Cannot compute with ${showValue(value)} as ${kind}, because ${allowed} is expected.`,
  );
}

/** The error for an operation that the language lacks on `kind`. */
export function undefinedOperation(op: string, kind: ScalarKind): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `Cannot compute ${op} of ${kind}: the language has no such operation.`);
}

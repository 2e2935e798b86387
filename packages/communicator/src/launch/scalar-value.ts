import { roundToBf16, roundToE4m3, roundToE5m2, roundToF16, scalarInfo } from '@nccl-ts/core';
import type { FloatInfo, IntInfo, ScalarKind } from '@nccl-ts/core';
import { shown } from '../describe.ts';
import { invalidArgument } from '../errors.ts';

type FloatKind = 'f16' | 'bf16' | 'f32' | 'f64' | 'e4m3' | 'e5m2';

const rounders: Readonly<Record<FloatKind, (x: number) => number>> = {
  f16: roundToF16,
  bf16: roundToBf16,
  f32: Math.fround,
  f64: (x) => x,
  e4m3: roundToE4m3,
  e5m2: roundToE5m2,
};

/**
 * Converts a host's value to a scalar of kind `kind`: a bigint for i64 and u64, a boolean for bool,
 * otherwise a number. Floats are rounded to nearest even.
 *
 * @param what the name of the value for the message, such as `launch of k: argument count`
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if it has another type or is out of range.
 */
export function scalarValue(kind: ScalarKind, value: unknown, what: string): number | bigint | boolean {
  const info = scalarInfo[kind];
  switch (info.class) {
    case 'bool':
      if (typeof value === 'boolean') return value;
      throw invalidArgument(`${what} must be a boolean (bool); given ${shown(value)}.`);
    case 'float':
      return floatValue(kind, info, value, what);
    case 'int':
    case 'addr':
      return integerValue(kind, info, value, what);
  }
}

function integerValue(kind: ScalarKind, info: IntInfo, value: unknown, what: string): number | bigint {
  const wide = info.bytes === 8;
  const isInteger = typeof value === 'number' ? Number.isSafeInteger(value) : wide && typeof value === 'bigint';
  if (!isInteger || (typeof value !== 'number' && typeof value !== 'bigint') || value < info.min || value > info.max) {
    const integer = wide ? 'an integer, as a safe number or a bigint,' : 'an integer';
    throw invalidArgument(
      `${what} must be ${integer} from ${info.min} to ${info.max} (${kind}); given ${shown(value)}.`,
    );
  }
  // `+ 0` converts a negative zero to zero.
  return wide && kind !== 'addr' ? BigInt(value) : Number(value) + 0;
}

function floatValue(kind: ScalarKind, info: FloatInfo, value: unknown, what: string): number {
  if (typeof value !== 'number') throw invalidArgument(`${what} must be a number (${kind}); given ${shown(value)}.`);
  if (!isFloatKind(kind)) return value;
  const rounded = rounders[kind](value);
  const hasInfinity = kind !== 'e4m3';
  const fits = Number.isFinite(value)
    ? Math.abs(value) <= info.maxFinite || (!saturates(kind) && Number.isFinite(rounded))
    : Number.isNaN(value) || hasInfinity;
  if (fits) return rounded;
  throw invalidArgument(
    `${what} must be a number from ${-info.maxFinite} to ${info.maxFinite}${hasInfinity ? ', an infinity' : ''} or NaN (${kind}); ` +
      `given ${shown(value)}.`,
  );
}

/**
 * True if rounding turns a large value into the largest finite one, so that the result does not
 * show the overflow.
 */
function saturates(kind: FloatKind): boolean {
  return kind === 'e4m3' || kind === 'e5m2';
}

function isFloatKind(kind: ScalarKind): kind is FloatKind {
  return Object.hasOwn(rounders, kind);
}

import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { roundFloat, wrapBigint, wrapNumber } from './round.ts';
import { isWide, type ScalarFault, type ScalarValue } from './scalar-value.ts';

/**
 * Converts `value` from `from` to `to`. Integers are taken modulo 2^N. Floats to integers are
 * truncated and saturated, with 0 for NaN. Conversions to a float round once to nearest even (to
 * e4m3 and e5m2 saturating). Conversions to bool compare with zero. To `addr` faults outside 0
 * to 2^53 - 1; a float is truncated first.
 */
export function scalarConvert(from: ScalarKind, to: ScalarKind, value: ScalarValue): ScalarValue | ScalarFault {
  if (typeof value === 'boolean') {
    if (to === 'bool') return value;
    return isWide(to) ? BigInt(value) : Number(value);
  }
  switch (scalarInfo[to].class) {
    case 'bool':
      return typeof value === 'bigint' ? value !== 0n : value !== 0;
    case 'int':
      return scalarInfo[from].class === 'float' ? saturate(to, Number(value)) : wrap(to, value);
    case 'float':
      return typeof value === 'bigint' ? roundBigint(to, value) : roundFloat(to, value);
    case 'addr':
      return toAddress(value);
  }
}

function wrap(to: ScalarKind, value: number | bigint): ScalarValue {
  if (isWide(to)) return wrapBigint(to, BigInt(value));
  // Bit operations take any whole number modulo 2^32, and doubles are exact up to an address's
  // 2^53.
  return typeof value === 'bigint' ? Number(wrapBigint(to, value)) : wrapNumber(to, value);
}

function saturate(to: ScalarKind, value: number): ScalarValue {
  const { min = 0n, max = 0n } = scalarInfo[to];
  if (value !== value) return isWide(to) ? 0n : 0;
  if (value <= Number(min)) return isWide(to) ? min : Number(min);
  if (value >= Number(max)) return isWide(to) ? max : Number(max);
  const whole = Math.trunc(value);
  // Adding 0 turns -0 into 0.
  return isWide(to) ? BigInt(whole) : whole + 0;
}

function toAddress(value: number | bigint): number | ScalarFault {
  const whole = Math.trunc(Number(value)) + 0;
  return whole >= 0 && whole <= Number.MAX_SAFE_INTEGER ? whole : 'addressRange';
}

/**
 * `value` rounded once to the float `to`. A double in between would round twice. So it keeps 53
 * bits with the last one set if bits were cut off ("round to odd"); rounding that gives the same
 * result as rounding `value`.
 */
function roundBigint(to: ScalarKind, value: bigint): number {
  if (to === 'f64') return Number(value);
  const magnitude = value < 0n ? -value : value;
  const shift = Math.max(0, magnitude.toString(2).length - 53);
  const top = magnitude >> BigInt(shift);
  const sticky = top << BigInt(shift) === magnitude ? 0n : 1n;
  return roundFloat(to, Number(value < 0n ? -(top | sticky) : top | sticky) * 2 ** shift);
}

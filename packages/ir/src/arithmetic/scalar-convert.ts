import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { roundFloat, wrapBigint, wrapNumber } from './round.ts';
import { isWide, type ScalarFault, type ScalarValue } from './scalar-value.ts';

/**
 * Converts `value` from `from` to `to`. A conversion between integers wraps modulo 2^N. A
 * conversion from float to integer truncates and saturates, and NaN becomes 0. A conversion to a
 * float rounds once to nearest even, and saturates for e4m3 and e5m2. A conversion to bool compares
 * with zero. A conversion to `addr` faults outside 0 to 2^53 - 1.
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
  // Bit operations take any whole number modulo 2^32, and doubles are exact for every address.
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
 * `value` rounded once to the float `to`. Converting to a double first would round twice. So the
 * function keeps 53 bits, and sets the last one if it cut off any bits ("round to odd"). Rounding
 * the result gives the same float as rounding `value`.
 */
function roundBigint(to: ScalarKind, value: bigint): number {
  if (to === 'f64') return Number(value);
  const magnitude = value < 0n ? -value : value;
  const shift = Math.max(0, magnitude.toString(2).length - 53);
  const top = magnitude >> BigInt(shift);
  const sticky = top << BigInt(shift) === magnitude ? 0n : 1n;
  return roundFloat(to, Number(value < 0n ? -(top | sticky) : top | sticky) * 2 ** shift);
}

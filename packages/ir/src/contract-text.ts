import type { ScalarValue } from './arithmetic/scalar-value.ts';

/** The smallest negative number that is shown beside the unsigned value that it wraps to. */
const LEAST_NAMED = -65536n;

/** The number of `{}` placeholders in the message of a contract. */
export function countPlaceholders(message: string): number {
  return message.split('{}').length - 1;
}

/**
 * Replaces each `{}` in the message of a contract by the next of `values`. A `{}` without a value
 * stays.
 */
export function contractText(message: string, values: readonly ScalarValue[]): string {
  let next = 0;
  return message.replaceAll('{}', (place) => {
    const value = values[next++];
    return value === undefined ? place : wrappedText(value);
  });
}

/**
 * Formats `value`. If a small negative number wraps to an unsigned value, the text shows that
 * number too: `4294967295 (-1 as u32)`.
 */
export function wrappedText(value: ScalarValue): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return String(value);
  const whole = BigInt(value);
  for (const bits of [32, 64]) {
    const negative = whole - (1n << BigInt(bits));
    if (negative < 0n && negative >= LEAST_NAMED) return `${whole} (${negative} as u${bits})`;
  }
  return String(whole);
}

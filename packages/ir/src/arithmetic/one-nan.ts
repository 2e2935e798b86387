/**
 * Returns `value`, and the one NaN for any NaN: quiet, positive, without a payload. Otherwise the
 * NaN of a remainder or of a math function that the host computes would depend on the engine and on
 * how far it has optimised the code.
 */
export function oneNaN(value: number): number {
  return value !== value ? NaN : value;
}

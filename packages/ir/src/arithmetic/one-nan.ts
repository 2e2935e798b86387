/**
 * Returns `value`, or the canonical NaN for any NaN. That NaN is quiet and positive and has no
 * payload. Without this, the NaN of a remainder or a math function would depend on the JavaScript
 * engine and its optimiser.
 */
export function oneNaN(value: number): number {
  return value !== value ? NaN : value;
}

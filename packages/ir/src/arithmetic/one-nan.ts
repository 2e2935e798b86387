/**
 * `value`, and the one NaN for any NaN: quiet, positive, without a payload. The NaN of a remainder,
 * a math function that the host computes, or a reinterpretation gives would otherwise depend on the
 * engine and on how far it has optimised the code.
 */
export function oneNaN(value: number): number {
  return value !== value ? NaN : value;
}

/** Returns the middle number, or the mean of the middle two if their count is even; NaN of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = Math.floor(sorted.length / 2);
  const [low, high] = sorted.length % 2 === 1 ? [upper, upper] : [upper - 1, upper];
  return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2;
}

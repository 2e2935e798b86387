/**
 * Returns the middle number, and NaN if there are none. If there are two in the middle, it returns
 * their mean, or the greater one.
 */
export function medianOf(values: readonly number[], ofTwo: 'mean' | 'greater' = 'mean'): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  if (sorted.length % 2 === 1 || ofTwo === 'greater') return upper;
  return ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Statistics of the times of iterations, in their unit; `cv` is the standard deviation in per cent
 * of the mean.
 */
export interface IterationStats {
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly stdev: number;
  readonly cv: number;
}

/**
 * Computes percentiles by nearest rank, and the standard deviation of the whole population. `times`
 * has at least one.
 */
export function iterationStats(times: readonly number[]): IterationStats {
  const sorted = times.toSorted((a, b) => a - b);
  const n = sorted.length;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const nearest = (percent: number): number => at(Math.min(n - 1, Math.floor((n * percent + 99) / 100) - 1));
  const avg = sorted.reduce((sum, time) => sum + time, 0) / n;
  const stdev = Math.sqrt(sorted.reduce((sum, time) => sum + (time - avg) ** 2, 0) / n);
  return {
    min: at(0),
    max: at(n - 1),
    avg,
    p50: at(Math.floor(n / 2)),
    p95: nearest(95),
    p99: nearest(99),
    stdev,
    cv: avg > 0 ? (stdev / avg) * 100 : 0,
  };
}

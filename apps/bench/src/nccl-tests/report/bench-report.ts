/** The growth of an iteration's bytes from one row to the next. */
export interface SizeStep {
  readonly kind: 'factor' | 'bytes';
  readonly value: number;
}

/**
 * -z: wait and synchronize after each call, only wait, or wait and synchronize after each
 * iteration, which is not timed.
 */
export type Blocking = 0 | 1 | 2 | 3;

/** The configuration in the head of a report. */
export interface BenchConfig {
  /** The name in the report: `all_reduce_perf`. */
  readonly program: string;
  readonly nThreads: number;
  readonly nGpus: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly step: SizeStep;
  readonly warmupIters: number;
  readonly iters: number;
  readonly aggIters: number;
  /** The number of checks of each row's data. */
  readonly check: number;
  readonly graphLaunches: number;
  readonly unalign: number;
  readonly blocking: Blocking;
  readonly perIterTiming: boolean;
  readonly perIterSkip: number;
  readonly parallelInit: boolean;
  readonly reportCputime: boolean;
  readonly reportTimestamps: boolean;
}

/** The device of a rank. */
export interface BenchDevice {
  readonly rank: number;
  readonly group: number;
  readonly pid: number;
  readonly hostname: string;
  readonly device: number;
  /** `0000:00:00` */
  readonly pci: string;
  readonly name: string;
}

/** The times of the iterations of one measurement, in microseconds. */
export interface IterationTimes {
  readonly skipped: number;
  readonly times: readonly number[];
}

/** One half of a row. */
export interface BenchMeasure {
  /** The time of one iteration in microseconds. It is the host's time if `reportCputime` is set. */
  readonly time: number;
  /** GB/s of 10^9 bytes. */
  readonly algBw: number;
  readonly busBw: number;
  /** The number of wrong elements, or `undefined` if nothing was checked. */
  readonly wrong: number | undefined;
  readonly iterations?: IterationTimes;
}

/** A line of the table. */
export interface BenchRow {
  readonly size: number;
  readonly count: number;
  readonly type: string;
  /** The operator, or `none` if the program has none. */
  readonly redop: string;
  /** The root, or -1 if the program has none. */
  readonly root: number;
  /** `undefined` if it was not measured. */
  readonly outOfPlace: BenchMeasure | undefined;
  readonly inPlace: BenchMeasure | undefined;
  readonly iters: number;
  /** `2026-01-31 23:59:59`, if requested. */
  readonly timestamp?: string;
  /** Empty, or the contender of the row if there are several. */
  readonly experiment: string;
}

export interface BenchSummary {
  /** The number of measurements with wrong elements. */
  readonly outOfBounds: number;
  /** In GB/s. NaN if nothing was measured. */
  readonly averageBusBw: number;
  /** The bandwidth that NCCL_TESTS_MIN_BW requires. 90 % of it still passes. */
  readonly minBusBw: number | undefined;
}

/** True if the bandwidth is at least the required one. `undefined` if none is required. */
export function bandwidthHolds({ averageBusBw, minBusBw }: BenchSummary): boolean | undefined {
  return minBusBw === undefined ? undefined : averageBusBw >= minBusBw * 0.9;
}

/** `2026-01-31 23:59:59`, in local time. */
export function timestampOf(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

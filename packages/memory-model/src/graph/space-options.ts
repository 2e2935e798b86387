import type { InitialValue } from './run-observer.ts';

/** The limits and rules of an exploration. */
export interface SpaceOptions {
  /** The contents of memory before the first write. @default zero */
  readonly initialValue?: InitialValue;
  /** The maximum number of runs. */
  readonly runs: number;
  /**
   * The maximum number of events of a run. A longer run is ended, and the space is then incomplete.
   */
  readonly events?: number;
  /**
   * The maximum number of accesses, fences and synchronizations of all runs together. The run that
   * exceeds it is ended, and is the last one. The same program reaches this limit at the same point
   * each time.
   * @default Infinity
   */
  readonly accesses?: number;
  /**
   * The maximum amount of work for all runs together. Its units are the entries of clocks and of
   * coherence orders, which are the main cost with many threads. The current run then ends, and is
   * the last one. The same program reaches this limit at the same point each time.
   * @default Infinity
   */
  readonly work?: number;
  /**
   * The maximum duration of all runs together, from the first one on. The current run then ends,
   * and is the last one.
   * @default Infinity
   */
  readonly milliseconds?: number;
  /** A clock that counts milliseconds. @default `Date.now` */
  readonly now?: () => number;
  /**
   * When reads are postponed for later writes: always, or only if the run may contain such a write.
   */
  readonly postpone?: 'always' | 'needed';
  /**
   * Which writes end a wait: all, or only the earliest of a thread if later ones have the same
   * result and order more. The second takes fewer runs, and misses no outcome and no race.
   */
  readonly waits?: 'all' | 'earliest';
}

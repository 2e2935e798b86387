/**
 * A limit of the exploration. If it is reached, the report is incomplete, names the limit, and
 * proves nothing.
 */
export interface ExploreBound {
  /** The largest number of calls of `run`. */
  readonly runs: number;
  /**
   * The time limit for all calls together, in milliseconds. When it expires, the current call ends.
   * @default no limit
   */
  readonly milliseconds?: number;
  /**
   * The largest number of accesses, fences and synchronizations of all calls together. It has the
   * same effect on every machine.
   *
   * @default no limit
   */
  readonly accesses?: number;
  /**
   * The largest amount of work of all calls together, in entries of clocks and orders. A round of a
   * loop counts as a few of them. It has the same effect on every machine.
   *
   * @default no limit
   */
  readonly work?: number;
}

/**
 * The limit of the exploration, which may be incomplete. The report then names the limit, and
 * proves nothing.
 */
export interface ExploreBound {
  /** The most calls of `run`. */
  readonly runs: number;
  /**
   * The time limit for all calls together; the call in progress then ends. Default: no limit.
   */
  readonly milliseconds?: number;
  /**
   * The most accesses, fences and meetings of all calls together. The same value on every machine.
   * Default: no limit.
   */
  readonly accesses?: number;
  /**
   * The most entries of clocks that are computed for all calls together. The same value on every
   * machine. Default: no limit.
   */
  readonly work?: number;
}

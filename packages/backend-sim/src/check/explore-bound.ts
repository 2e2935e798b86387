/**
 * The limit of the exploration, which may be incomplete. The report then names the limit, and
 * proves nothing.
 */
export interface ExploreBound {
  /** The most calls of `run`. */
  readonly runs: number;
  /**
   * The time that all calls may take together; the one in progress ends then. Default: no limit.
   */
  readonly milliseconds?: number;
  /**
   * The most accesses, fences and meetings of all calls together. The same for every machine.
   * Default: no limit.
   */
  readonly accesses?: number;
  /**
   * The most entries of clocks that are computed for all calls together. The same for every
   * machine. Default: no limit.
   */
  readonly work?: number;
}

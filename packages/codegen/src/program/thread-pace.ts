/** Lanes of a warp that run an instruction together. */
export interface GatheredLanes {
  /** The point before the instruction. */
  readonly point: number;
  readonly lanes: readonly number[];
}

/**
 * The pace of a CTA's threads. It decides which of them stop before and after ordered accesses, and
 * for how long. A held thread continues when no other thread of its CTA can, after some slices.
 */
export interface ThreadPace {
  /** By thread: the number of further slices for which it is held. */
  readonly left: Int32Array;
  /** The thread that lags behind, or -1. */
  readonly straggler: number;
  /** The remaining holds of threads, from which a CTA's future follows. */
  readonly held: readonly number[];
  /** True if a thread stops at a point before or after an ordered access. */
  stops(thread: number, place: number, isAct: boolean): boolean;
  /** True if all threads stop at a point that they have reached together. */
  stopsAll(place: number, isAct: boolean): boolean;
  /**
   * True if a thread stops before an instruction until `regroups` lets its warp run that together.
   */
  gathers(thread: number, place: number, isAct: boolean): boolean;
  /**
   * Called when no thread can continue. Returns the lanes that now run an instruction together;
   * null if there are none.
   */
  regroups(): readonly GatheredLanes[] | null;
  /** Called when a thread has run, so that the straggler lags behind the others again. */
  ran(thread: number): void;
  /** True if the CTA's slice ends before it has begun. */
  stays(): boolean;
  /**
   * Ends a slice in which only held threads could continue. `isAwaited` is true if all others have
   * returned, or only wait for those.
   */
  lags(isAwaited: boolean): void;
}

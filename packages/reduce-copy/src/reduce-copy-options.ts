/** The last argument of every function. */
export interface ReduceCopyOptions {
  /**
   * The number of elements that a thread has in flight, a constant. By default, NCCL's own code
   * uses 64 divided by the size of an element, and all other code 16 bytes of each source. More
   * keep a fast link busy, and take more registers.
   */
  readonly unroll?: number;
  /**
   * The number of sources, a constant, if it is known when the kernel is written. Only then are 16
   * bytes of all of them loaded before the first is used, and only then do reductions use `unroll`.
   * The caller guarantees that it is the number of sources. 0 means unknown.
   */
  readonly sources?: number;
}

/** The last argument of `lsaReduceLsaCopy`, which has more options than NCCL's. */
export interface ReduceOptions extends ReduceCopyOptions {
  /**
   * Converts a value of source number `source` before the reduction, in the accumulating type; a
   * constant function.
   */
  readonly before?: (value: number, source: number) => number;
  /** Converts the result before it is rounded to the element type; as `before`. */
  readonly after?: (value: number) => number;
}

/** The last argument of every function. */
export interface ReduceCopyOptions {
  /**
   * The number of elements that a thread has in flight, a constant. By default, NCCL's own code
   * uses 64 divided by the size of an element, and all other code uses 16 bytes of each source. A
   * larger number keeps a fast link busy, but takes more registers.
   */
  readonly unroll?: number;
  /**
   * The number of sources as a constant, or 0 if it is not a constant. You guarantee that it is
   * right. If it is set, 16 bytes of all sources are loaded before the first is used, and
   * reductions use `unroll`.
   */
  readonly sources?: number;
}

/** The last argument of `lsaReduceLsaCopy`, which has more options than NCCL's. */
export interface ReduceOptions extends ReduceCopyOptions {
  /**
   * A constant function that converts a value of source number `source` before the reduction, in
   * the accumulating type.
   */
  readonly before?: (value: number, source: number) => number;
  /** Like `before`, but converts the result before it is rounded to the element type. */
  readonly after?: (value: number) => number;
}

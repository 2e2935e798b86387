/** What every function takes last. */
export interface ReduceCopyOptions {
  /**
   * How many elements a thread has under way at once, a constant. Where it is left out NCCL's own
   * code has 64 divided by the size of an element, and everything else 16 bytes of each source.
   * More keep a fast link busy, and take more registers.
   */
  readonly unroll?: number;
  /**
   * How many sources there are, a constant, where that is known when the kernel is written: only
   * then are 16 bytes of all of them loaded before the first is used, and is `unroll` looked at by
   * what reduces. The caller sees to it that it is the number of sources. 0 says as much as
   * nothing.
   */
  readonly sources?: number;
}

/** What `lsaReduceLsaCopy` takes last: more than NCCL's has. */
export interface ReduceOptions extends ReduceCopyOptions {
  /**
   * What a value of source number `source` becomes before it is reduced, in the accumulating type;
   * a constant function.
   */
  readonly before?: (value: number, source: number) => number;
  /** What the result becomes before it is rounded to the type of the elements; as `before`. */
  readonly after?: (value: number) => number;
}

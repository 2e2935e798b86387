/** What every function takes last. */
export interface ReduceCopyOptions {
  /**
   * How many elements NCCL's own code has under way in each thread, a constant; 64 divided by the size of an element where
   * it is left out. Elsewhere it changes nothing: a thread has 16 bytes of each source under way.
   */
  readonly unroll?: number;
}

/** What `lsaReduceLsaCopy` takes last: more than NCCL's has. */
export interface ReduceOptions extends ReduceCopyOptions {
  /** What a value of source number `source` becomes before it is reduced, in the accumulating type; a constant function. */
  readonly before?: (value: number, source: number) => number;
  /** What the result becomes before it is rounded to the type of the elements; as `before`. */
  readonly after?: (value: number) => number;
}

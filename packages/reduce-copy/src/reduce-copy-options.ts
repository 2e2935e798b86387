/** What every function takes last. */
export interface ReduceCopyOptions {
  /**
   * How many elements NCCL's own code has under way in each thread, a constant; 64 divided by the size of an element where
   * it is left out. Elsewhere it changes nothing: a thread has 16 bytes of each source under way.
   */
  readonly unroll?: number;
}

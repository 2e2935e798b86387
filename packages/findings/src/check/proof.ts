export type Proof =
  | { readonly kind: 'this schedule'; readonly strategy: string; readonly seed: number }
  | { readonly kind: 'schedules'; readonly count: number; readonly strategy: string; readonly seed: number }
  /**
   * Schedules of several strategies. `parts` has the number of schedules of each strategy, which
   * `what` names. Everything else follows from `seed`.
   */
  | { readonly kind: 'portfolio'; readonly parts: readonly ProofPart[]; readonly seed: number }
  /**
   * Every schedule of this input, and every value that the memory model allows. With `patient`,
   * only schedules in which no wait times out while a thread can continue.
   */
  | { readonly kind: 'all schedules'; readonly count: number; readonly patient?: true }
  /**
   * The same, of the schedules that the simulator models: the check executed `approximations`, so
   * machines may have others.
   */
  | { readonly kind: 'modelled schedules'; readonly count: number; readonly patient?: true }
  /** A limit was reached before the check was complete. */
  | { readonly kind: 'nothing'; readonly bound: string };

/** The schedules of one strategy among several. */
export interface ProofPart {
  readonly what: string;
  readonly count: number;
}

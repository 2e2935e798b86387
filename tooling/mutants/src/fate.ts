import type { Equivalence } from './outcome.ts';

/** The proof that killed a mutant that no trial killed. */
export const ALL_RUNS = 'all runs';

/** The result for one mutant. */
export type Fate =
  /**
   * `how` is the trial that killed it, such as `late:1`, or `ALL_RUNS`. `tried` counts the trials
   * up to it.
   */
  | { readonly kind: 'killed'; readonly by: string; readonly how: string; readonly tried: number }
  /** The program never runs the changed code. */
  | { readonly kind: 'unreached' }
  /** No problem was found in `tried` trials. */
  | {
      readonly kind: 'survived';
      readonly tried: number;
      readonly equivalence: Equivalence;
      readonly proof?: ProofEffort;
    }
  /** Its runs took longer than `seconds`, or its process ended. */
  | { readonly kind: 'unknown'; readonly why: string; readonly seconds: number };

/** The maximum effort of a proof. */
export interface ProofEffort {
  readonly runs: number;
  readonly seconds: number;
}

import type { RankShape } from './subject.ts';

/** The proof that a mutant without errors is no worse than its kernel, or the lack of one. */
export type Equivalence =
  /** PTX has one fence for `acquire`, `release` and `acq_rel`. */
  | { readonly kind: 'same fence' }
  /** Its CTAs have one warp, so a synchronization of each warp is one of the CTA. */
  | { readonly kind: 'one warp' }
  | Exhaustive
  /**
   * Follows from the mutant `of`, which makes this change and more, and was explored at this size.
   */
  | { readonly kind: 'less than'; readonly of: string; readonly size: ProvenSize }
  | { readonly kind: 'unproven'; readonly why: string };

/** All executions were explored at this size, without an error. */
export interface Exhaustive {
  readonly kind: 'exhaustive';
  readonly size: ProvenSize;
  readonly schedules: number;
}

/**
 * The number of ranks, how many of them reach each other's memory, the CTAs of a grid, and the
 * threads of a CTA.
 */
export interface ProvenSize extends RankShape {
  readonly ctas: number;
  readonly threads: number;
}

/**
 * True if a program of this size is representative of larger ones: at least two ranks with two CTAs
 * of two threads.
 */
export function isLarge({ ranks, ctas, threads }: ProvenSize): boolean {
  return ranks >= 2 && ctas >= 2 && threads >= 2;
}

/**
 * The result of exploring all executions: the mutant is no worse, or the report proves that it is
 * worse.
 */
export type Proof = Equivalence | { readonly kind: 'wrong'; readonly by: string };

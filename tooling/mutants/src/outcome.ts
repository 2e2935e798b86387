import type { Shape } from './subject.ts';

/** The proof that a mutant without complaints is no worse than its kernel, or the lack of one. */
export type Equivalence =
  /** PTX has one fence for `acquire`, `release` and `acq_rel`. */
  | { readonly kind: 'same fence' }
  /** Its CTAs have one warp, so that a meeting of each warp is one of the CTA. */
  | { readonly kind: 'one warp' }
  | Exhaustive
  /**
   * Like the mutant `of`, which does everything that this one does and more, and was explored at
   * this size.
   */
  | { readonly kind: 'less than'; readonly of: string; readonly size: ProvenSize }
  | { readonly kind: 'unproven'; readonly why: string };

/** All executions were explored at this size, without a complaint. */
export interface Exhaustive {
  readonly kind: 'exhaustive';
  readonly size: ProvenSize;
  readonly schedules: number;
}

/** Ranks and how many of them reach each other's memory, CTAs of a grid and threads of a CTA. */
export interface ProvenSize extends Shape {
  readonly ctas: number;
  readonly threads: number;
}

/**
 * True if a program of this size shows something of larger ones: two ranks with two CTAs of two
 * threads, at least.
 */
export function isLarge({ ranks, ctas, threads }: ProvenSize): boolean {
  return ranks >= 2 && ctas >= 2 && threads >= 2;
}

/**
 * The result of exploring all executions: the mutant is no worse, or the report shows that it is.
 */
export type Proof = Equivalence | { readonly kind: 'wrong'; readonly by: string };

import type { Finding } from './finding.ts';
import type { FindingSpread } from './finding-spread.ts';

/** The worst that was found; `clean` where nothing was, and nothing was left out. */
export type Verdict =
  | 'clean'
  | 'race'
  | 'deadlock'
  | 'misuse'
  | 'out-of-bounds'
  | 'uninitialised'
  | 'fault'
  | 'incomplete';

/**
 * What a check has found, and what that proves. A frozen value; `reportToJson` makes JSON of it.
 */
export interface CheckReport {
  readonly verdict: Verdict;
  /** What a `clean` verdict says: of one schedule, of so many, or of all that this input has. */
  readonly proves: Proof;
  /**
   * Each once, however often it was seen: the first that was, of every pair of places. Worst first.
   */
  readonly findings: readonly Finding[];
  /** How often each finding was seen, in the order of `findings`. */
  readonly seen: readonly number[];
  /** Which ranks, CTAs, threads and bytes each finding was seen on, in the order of `findings`. */
  readonly spread: readonly FindingSpread[];
  /** Accesses that were checked. */
  readonly accesses: number;
}

export type Proof =
  | { readonly kind: 'this schedule'; readonly strategy: string; readonly seed: number }
  | { readonly kind: 'schedules'; readonly count: number; readonly strategy: string; readonly seed: number }
  /**
   * Schedules of several strategies. `parts`: how many of each; `what` names the strategy.
   * Everything else follows from `seed`.
   */
  | { readonly kind: 'portfolio'; readonly parts: readonly ProofPart[]; readonly seed: number }
  /**
   * Every schedule and every value that the memory model allows, of this input. `patient`: of those
   * in which a wait gives up only once nobody can go on otherwise; absent: of all.
   */
  | { readonly kind: 'all schedules'; readonly count: number; readonly patient?: true }
  /** A bound was reached before all had been gone through. */
  | { readonly kind: 'nothing'; readonly bound: string };

/** The schedules of one strategy among several. */
export interface ProofPart {
  readonly what: string;
  readonly count: number;
}

import type { Finding } from './finding.ts';
import type { FindingSpread } from './finding-spread.ts';
import type { Verdict } from './verdict.ts';

/**
 * The findings of a check, and the claim of its verdict. A frozen value; `reportToJson` converts it
 * to JSON.
 */
export interface CheckReport {
  readonly verdict: Verdict;
  /**
   * The claim of a `clean` verdict: about one schedule, a number of schedules, or all schedules of
   * this input.
   */
  readonly proves: Proof;
  /**
   * Each finding once, as in its first sighting, for every pair of source locations. Worst first.
   */
  readonly findings: readonly Finding[];
  /** The number of sightings of each finding, in the order of `findings`. */
  readonly seen: readonly number[];
  /**
   * The ranks, CTAs, threads and bytes of all sightings of each finding, in the order of
   * `findings`.
   */
  readonly spread: readonly FindingSpread[];
  /** Accesses that were checked. */
  readonly accesses: number;
}

export type Proof =
  | { readonly kind: 'this schedule'; readonly strategy: string; readonly seed: number }
  | { readonly kind: 'schedules'; readonly count: number; readonly strategy: string; readonly seed: number }
  /**
   * Schedules of several strategies. `parts`: the number of each; `what` names the strategy.
   * Everything else follows from `seed`.
   */
  | { readonly kind: 'portfolio'; readonly parts: readonly ProofPart[]; readonly seed: number }
  /**
   * Every schedule and every value that the memory model allows, of this input. `patient`: only
   * those in which a wait times out only if no thread can continue otherwise; absent: all.
   */
  | { readonly kind: 'all schedules'; readonly count: number; readonly patient?: true }
  /** A bound was reached before the check was complete. */
  | { readonly kind: 'nothing'; readonly bound: string };

/** The schedules of one strategy among several. */
export interface ProofPart {
  readonly what: string;
  readonly count: number;
}

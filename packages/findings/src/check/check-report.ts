import type { RanksOutcome } from './by-ranks.ts';
import type { CheckedScope } from './checked-scope.ts';
import type { Approximation } from './approximation.ts';
import type { Finding } from './finding.ts';
import type { FindingSpread } from './finding-spread.ts';
import type { Verdict } from './finding-kinds.ts';

/**
 * The findings of a check, and the claim of its verdict. The value is frozen. `reportToJson`
 * converts it to JSON.
 */
export interface CheckReport {
  readonly verdict: Verdict;
  /**
   * The schedules that a `clean` verdict covers: one schedule, a number of schedules, or all
   * schedules of this input.
   */
  readonly proves: Proof;
  /**
   * One finding for each pair of source locations, as in its first sighting. The worst comes first.
   */
  readonly findings: readonly Finding[];
  /** The number of sightings of each finding, in the order of `findings`. */
  readonly seen: readonly number[];
  /**
   * The ranks, CTAs, threads and bytes of all sightings of each finding, in the order of
   * `findings`.
   */
  readonly spread: readonly FindingSpread[];
  /** The number of accesses that were checked. */
  readonly accesses: number;
  /** The launches that were checked, and if they reached another rank. */
  readonly scope: CheckedScope;
  /**
   * The outcome for each number of ranks, if several were checked. The other fields are those of
   * the numbers with the worst verdict.
   */
  readonly byRanks?: readonly RanksOutcome[];
  /**
   * What was executed and is modelled in a way which machines need not follow. `proves` is a claim
   * about every machine only if there is none.
   */
  readonly approximations: readonly Approximation[];
}

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

import type { Proof } from './proof.ts';
import type { RanksOutcome } from './ranks-outcome.ts';
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
   * The executed constructs that are modelled in a way which machines need not follow. `proves` is
   * a claim about every machine only if there is none.
   */
  readonly approximations: readonly Approximation[];
}

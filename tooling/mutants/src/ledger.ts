import type { Fate } from './fate.ts';
import type { ListedMutant, Listing } from './listing.ts';

/** A mutant, and its known results. */
export interface LedgerMutant extends ListedMutant {
  fate?: Fate;
  /** The time that it took. */
  seconds?: number;
  /**
   * For a killed mutant: true if the checker wrongly claimed that one run was clean and represented
   * all runs.
   */
  contradicted?: boolean;
}

/** A program, and the known results of its mutants. */
export interface LedgerSubject extends Listing<LedgerMutant> {
  /** The time that its unchanged runs took. */
  readonly seconds: number;
}

/** All results of a campaign. Campaigns write it, and continue from it. */
export interface Ledger {
  /** The trials of each mutant, as in `late:1`. */
  readonly trials: readonly string[];
  readonly subjects: readonly LedgerSubject[];
}

/** @throws TypeError if a text was not written by `ledgerText`. */
export function parseLedger(text: string): Ledger {
  const ledger: unknown = JSON.parse(text);
  if (!isLedger(ledger)) throw new TypeError('The file was not written by a campaign.');
  return ledger;
}

/** A line for each program. */
export function ledgerText({ trials, subjects }: Ledger): string {
  const lines = subjects.map((subject) => JSON.stringify(subject));
  return `{"trials":${JSON.stringify(trials)},"subjects":[\n${lines.join(',\n')}\n]}\n`;
}

/** A quick check is enough, because only campaigns write these files. */
function isLedger(value: unknown): value is Ledger {
  return (
    typeof value === 'object' &&
    value !== null &&
    'trials' in value &&
    'subjects' in value &&
    Array.isArray(value.subjects) &&
    value.subjects.every((one: unknown) => typeof one === 'object' && one !== null && 'kernels' in one)
  );
}

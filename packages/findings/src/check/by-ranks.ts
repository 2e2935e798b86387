import type { CheckReport } from './check-report.ts';
import { combineReports } from './combine-reports.ts';
import { deepFreeze } from './deep-freeze.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { findingKindNames, findingKinds } from './finding-kinds.ts';

/** A check with one number of ranks: its report, or why the program cannot run with that number. */
export type RanksCheck =
  | { readonly ranks: number; readonly report: CheckReport }
  | { readonly ranks: number; readonly why: string };

/**
 * Makes one report of checks with several numbers of ranks. It is the report of the number with the
 * worst verdict, the first of several such numbers, with the outcome of each. If no number has an
 * error, it has the findings of all numbers with the worst verdict.
 *
 * @throws RangeError if the program ran with none of the numbers.
 */
export function worstOfRanks(checks: readonly RanksCheck[]): CheckReport {
  const reports = checks.flatMap((one) => ('report' in one ? one.report : []));
  const worst = reports.toSorted((a, b) => badness(a) - badness(b)).at(0);
  if (worst === undefined) throw new RangeError('there is no report for any number of ranks');
  const alike = reports.filter(({ verdict }) => verdict === worst.verdict);
  const report = exitCodeOf(worst) === 1 ? worst : combineReports(alike);
  const byRanks = checks.map(({ ranks, ...one }) => {
    if (!('report' in one)) return { ranks, why: one.why };
    const { verdict, proves, accesses } = one.report;
    return { ranks, verdict, proves, accesses };
  });
  return checks.length === 1 ? worst : deepFreeze({ ...report, byRanks });
}

/** Less for a worse verdict. */
function badness({ verdict }: CheckReport): number {
  const worse = findingKindNames
    .map((kind) => findingKinds[kind].verdict)
    .indexOf(verdict === 'clean' ? 'incomplete' : verdict);
  return verdict === 'clean' ? worse + 1 : worse;
}

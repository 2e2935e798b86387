import { verdictOf, type CheckReport, type Verdict } from '@nccl-ts/findings';
import type { Checker } from './checker.ts';

/** What a world's check has found so far. */
export function worldReport(checker: Checker): CheckReport {
  const counted = checker.findings;
  const { strategy, seed } = checker.schedule;
  const worst = counted.find(({ finding }) => finding.severity === 'error');
  const verdict: Verdict = worst === undefined ? 'clean' : verdictOf[worst.finding.kind];
  return Object.freeze({
    verdict,
    proves: Object.freeze({ kind: 'this schedule', strategy, seed }),
    findings: Object.freeze(counted.map(({ finding }) => finding)),
    seen: Object.freeze(counted.map(({ seen }) => seen)),
    accesses: checker.order.accesses.count,
  } satisfies CheckReport);
}

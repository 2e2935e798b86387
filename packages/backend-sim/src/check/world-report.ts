import { buildReport, type CheckReport } from '@nccl-ts/findings';
import type { Checker } from './checker.ts';

/** What a world's check has found so far. */
export function worldReport(checker: Checker): CheckReport {
  const counted = checker.findings;
  const { strategy, seed } = checker.schedule;
  return buildReport({
    runs: [
      {
        findings: counted.map(({ finding }) => finding),
        seen: counted.map(({ seen }) => seen),
        spread: counted.map(({ spread }) => spread.value()),
        accesses: checker.order.accesses.count,
      },
    ],
    proves: { kind: 'this schedule', strategy, seed },
  });
}

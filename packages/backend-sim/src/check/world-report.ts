import { buildReport, type CheckReport, type Finding } from '@nccl-ts/findings';
import type { Checker } from './checker.ts';

/**
 * The findings of a world's check so far. `left` has the operations that were not waited for yet.
 */
export function worldReport(checker: Checker, left: readonly Finding[]): CheckReport {
  const counted = checker.findings;
  const { strategy, seed } = checker.schedule;
  return buildReport({
    runs: [
      {
        findings: [...counted.map(({ finding }) => finding), ...left],
        seen: [...counted.map(({ seen }) => seen), ...left.map(() => 1)],
        spread: counted.map(({ spread }) => spread.value()),
        accesses: checker.order.accesses.count,
        scope: checker.scope.value,
        approximations: checker.approximations.list,
      },
    ],
    proves: { kind: 'this schedule', strategy, seed },
  });
}

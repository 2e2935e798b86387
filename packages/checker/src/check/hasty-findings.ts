import { findingKinds, type CheckReport } from '@nccl-ts/findings';

/** The report of a run in which time limits expired, with only the findings that count there. */
export function ofHasty(report: CheckReport): CheckReport {
  const counts = report.findings.map(({ kind }) => findingKinds[kind].countsAfterTimeOut);
  const only = <T>(list: readonly T[]): readonly T[] => list.filter((_, i) => counts[i] === true);
  return Object.freeze({
    ...report,
    findings: only(report.findings),
    seen: only(report.seen),
    spread: only(report.spread),
  });
}

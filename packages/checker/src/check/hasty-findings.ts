import { findingKinds, type CheckReport } from '@nccl-ts/findings';

/** The report of a run in which time limits expired, with only the findings that count there. */
export function ofHasty(report: CheckReport): CheckReport {
  const findings = report.findings.filter(({ kind }) => findingKinds[kind].countsAfterTimeOut);
  return Object.freeze({ ...report, findings });
}

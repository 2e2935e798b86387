import type { CheckReport, FindingKind } from '@nccl-ts/findings';

/**
 * The kinds of findings that count in a run in which a time limit has expired. A kernel that gives
 * up may fail on purpose. Its peers then wait in vain and leave work behind, which is the purpose
 * of time limits.
 */
const countsHere: Readonly<Record<FindingKind, boolean>> = {
  race: true,
  proxy: true,
  'out-of-bounds': true,
  misuse: true,
  uninitialised: true,
  fault: false,
  deadlock: false,
  leftover: false,
  incomplete: false,
};

/** The report of a run in which time limits expired, with only the findings that count there. */
export function ofHasty(report: CheckReport): CheckReport {
  const findings = report.findings.filter(({ kind }) => countsHere[kind]);
  return Object.freeze({ ...report, findings });
}

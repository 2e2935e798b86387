import { buildReport, findingFingerprint, type CheckReport, type Finding } from '@nccl-ts/findings';
import type { BaselineEntry } from './baseline-entry.ts';

export interface AcceptedFindings {
  /** The report, without the findings that the baseline accepts. */
  readonly report: CheckReport;
  /** The findings that the baseline accepts. */
  readonly accepted: readonly Finding[];
  /** The findings that the command line or a comment accepts, with the rule. */
  readonly silenced: readonly SilencedFinding[];
}

export interface SilencedFinding {
  readonly finding: Finding;
  /** The rule, such as `--accept all-reduce.cuh:120:race`. */
  readonly by: string;
}

/**
 * True if a baseline may accept a finding. A bound that was reached cannot be accepted, and
 * findings that are not errors need not be.
 */
export function isAcceptable({ severity, kind }: Finding): boolean {
  return severity === 'error' && kind !== 'incomplete';
}

/**
 * Removes the findings that the baseline accepts from a report. Each entry accepts one finding. It
 * first removes those that `silencedBy` accepts, with the reason. A bound that was reached stays.
 */
export function acceptFindings(
  report: CheckReport,
  baseline: readonly BaselineEntry[] | 'everything',
  silencedBy: (finding: Finding) => string | undefined = () => undefined,
): AcceptedFindings {
  const reasons = report.findings.map((finding) => (finding.kind === 'incomplete' ? undefined : silencedBy(finding)));
  const open = new Map<string, number>();
  for (const { fingerprint } of baseline === 'everything' ? [] : baseline) {
    open.set(fingerprint, (open.get(fingerprint) ?? 0) + 1);
  }
  const isAccepted = report.findings.map((finding, i) => {
    if (reasons[i] !== undefined || !isAcceptable(finding)) return false;
    if (baseline === 'everything') return true;
    const fingerprint = findingFingerprint(finding);
    const left = open.get(fingerprint) ?? 0;
    open.set(fingerprint, left - 1);
    return left > 0;
  });
  const silenced = report.findings.flatMap((finding, i) => {
    const by = reasons[i];
    return by === undefined ? [] : { finding, by };
  });
  if (!isAccepted.includes(true) && silenced.length === 0) return { report, accepted: [], silenced };
  const kept = <T>(values: readonly T[]): readonly T[] =>
    values.filter((_, i) => isAccepted[i] !== true && reasons[i] === undefined);
  const { findings, seen, spread, accesses, scope, approximations, proves } = report;
  return {
    report: buildReport({
      runs: [{ findings: kept(findings), seen: kept(seen), spread: kept(spread), accesses, scope, approximations }],
      proves,
    }),
    accepted: findings.filter((_, i) => isAccepted[i]),
    silenced,
  };
}

import { buildReport, combineReports, type CheckReport, type Finding } from '@nccl-ts/findings';
import { acceptedBy } from './accept-rule.ts';
import { acceptFindings, type AcceptedFindings } from './accept-findings.ts';
import type { BaselineEntry } from './baseline-entry.ts';
import type { CheckEngine } from './check-engine.ts';
import { DEFAULT_SECONDS, engineOptions, type CheckCommandOptions } from './check-options.ts';
import { sequenceText, type LaunchSequence } from '../launch/launch-sequence.ts';
import type { CheckPlan, CheckVariant } from './plan-check.ts';
import { runCheck } from './run-check.ts';

/** The result of one sequence of launches. */
export interface SequenceResult extends Pick<LaunchSequence, 'name' | 'what'> {
  /** Absent if an earlier program has an error, so that this one did not run. */
  readonly report?: CheckReport;
}

/** The result of a program's check. */
export interface ProgramResult extends AcceptedFindings {
  /** Empty for host programs. */
  readonly sequences: readonly SequenceResult[];
}

/**
 * Checks the program's sequences one after another, up to the first with an error outside the
 * baseline. `baseline` may accept everything, to make a new one.
 *
 * @throws errors of the program that are not findings.
 */
export async function checkProgram(
  engine: CheckEngine,
  { name, variants, failure, source }: CheckPlan,
  options: CheckCommandOptions,
  baseline: readonly BaselineEntry[] | 'everything',
): Promise<ProgramResult> {
  const seconds = options.time ?? DEFAULT_SECONDS;
  const end = performance.now() + 1000 * seconds;
  const results: { readonly variant: CheckVariant; readonly report?: CheckReport }[] = [];
  let known: AcceptedFindings | undefined;
  const silencedBy = (finding: Finding): string | undefined => acceptedBy(finding, options.accept ?? [], source);
  for (const variant of variants) {
    if (known !== undefined && isWrong(known.report)) {
      results.push({ variant });
      continue;
    }
    const left = (end - performance.now()) / 1000;
    const at = variant.sequence === undefined ? '' : `, sequence ${variant.sequence.name}`;
    const report =
      left <= 0
        ? outOfTime(seconds)
        : await runCheck(engine, engineOptions({ ...options, time: left }), {
            doing: `checking ${name} on ${options.ranks} ranks${at}`,
            onRank: variant.onRank,
            failure,
            printsFirst: options.exhaustive === true,
          });
    results.push({ variant, report: withSequence(report, variant.sequence) });
    known = acceptFindings(combineReports(results.flatMap((result) => result.report ?? [])), baseline, silencedBy);
  }
  return {
    ...(known ?? acceptFindings(combineReports([]), baseline)),
    sequences: results.flatMap(({ variant: { sequence }, report }) =>
      sequence === undefined
        ? []
        : { name: sequence.name, what: sequence.what, ...(report === undefined ? {} : { report }) },
    ),
  };
}

/** True if the report has an error. */
export function isWrong({ verdict }: Pick<CheckReport, 'verdict'>): boolean {
  return verdict !== 'clean' && verdict !== 'incomplete';
}

function outOfTime(seconds: number): CheckReport {
  const bound = `the time limit of ${seconds} s was reached before it began; check fewer ranks, CTAs or rounds, or allow more time`;
  return buildReport({ runs: [], proves: { kind: 'nothing', bound } });
}

function withSequence(report: CheckReport, sequence: LaunchSequence | undefined): CheckReport {
  if (sequence === undefined) return report;
  const text = sequenceText(sequence);
  return { ...report, findings: report.findings.map((finding) => ({ ...finding, sequence: text })) };
}

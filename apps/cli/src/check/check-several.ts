import type { Baseline } from './baseline.ts';
import { checkFiles, type FileOutcome } from './check-files.ts';
import type { CheckEngine } from './check-engine.ts';
import type { CheckCommandOptions } from './check-options.ts';
import { checkReportJson, checkReportText, reportsHead } from './check-report.ts';
import { summaryText, worstExitCode } from './check-summary.ts';
import { combineReports } from '@nccl-ts/findings';
import { colorsFor } from '../output/colors.ts';
import { errorText } from '../error-text.ts';
import { printError, printOut } from '../output/print.ts';
import { visibleLine } from '../output/visible-text.ts';
import { printAndWrite } from './print-and-write.ts';
import { settleBaseline } from './settle-baseline.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Checks every program of these files, and prints a report for each and a summary. Returns the exit
 * code of the worst.
 *
 * @throws UsageError if there is nothing to check in any of them.
 */
export async function checkSeveral(
  engine: CheckEngine,
  files: readonly string[],
  options: CheckCommandOptions,
  baseline: Baseline | undefined,
): Promise<number> {
  if (options.shrink === true) throw new UsageError('--shrink is for one kernel; name one file and one kernel');
  if (options.fix === true) throw new UsageError('--fix is for one program; name one file');
  if (options.replay !== undefined) throw new UsageError('--replay is for one program; name one file and one kernel');
  const colors = colorsFor(process.stdout);
  const outcomes: FileOutcome[] = [];
  for await (const outcome of checkFiles(engine, files, options, baseline)) {
    outcomes.push(outcome);
    if (options.json === true) continue;
    if (outcome.kind === 'checked') {
      printOut(`${visibleLine(outcome.checked.file)}: ${checkReportText(outcome.checked, colors)}\n\n`);
    }
    if (outcome.kind === 'failed') printError(`${visibleLine(outcome.file)}: ${errorText(outcome.error, colors)}\n`);
  }
  const checked = outcomes.flatMap((outcome) => (outcome.kind === 'checked' ? outcome.checked : []));
  if (checked.length === 0 && !outcomes.some(({ kind }) => kind === 'failed')) {
    throw new UsageError(['these files have nothing to check', ...outcomes.map(whyNot)].join('\n  '));
  }
  const settled = await settleBaseline(baseline, checked, options);
  const text =
    options.json === true
      ? JSON.stringify({ ...reportsJson(outcomes), ...settled.json }, undefined, 2)
      : [summaryText(outcomes, colors), ...settled.lines].join('\n\n');
  await printAndWrite(`${text}\n`, options, combineReports(checked.map(({ report }) => report)));
  return worstExitCode(outcomes);
}

function whyNot(outcome: FileOutcome): string {
  return outcome.kind === 'skipped' ? `${outcome.file}: ${outcome.why}` : outcome.kind;
}

function reportsJson(outcomes: readonly FileOutcome[]): Readonly<Record<string, unknown>> {
  const named = ({ file, name }: { file: string; name?: string }, why: string): unknown => ({
    file,
    ...(name === undefined ? {} : { name }),
    why,
  });
  const verdicts = { 0: 'clean', 1: 'wrong', 3: 'incomplete' } as const;
  return {
    ...reportsHead,
    verdict: verdicts[worstExitCode(outcomes)],
    reports: outcomes.flatMap((outcome) => (outcome.kind === 'checked' ? checkReportJson(outcome.checked) : [])),
    skipped: outcomes.flatMap((outcome) => (outcome.kind === 'skipped' ? named(outcome, outcome.why) : [])),
    failed: outcomes.flatMap((outcome) =>
      outcome.kind === 'failed' ? named(outcome, errorText(outcome.error, colorsFor({}))) : [],
    ),
  };
}

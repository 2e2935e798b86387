import { exitCodeOf } from '@nccl-ts/findings';
import type { FileOutcome } from './check-files.ts';
import { counted } from '../output/counted.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { Colors } from '../output/colors.ts';

const FAILED = 1;
const INCOMPLETE = 3;

/**
 * Returns the exit code for all of these: 1 if one has errors or failed, otherwise 3 if one is
 * incomplete, otherwise 0.
 */
export function worstExitCode(outcomes: readonly FileOutcome[]): 0 | 1 | 3 {
  const codes = outcomes.map((outcome) =>
    outcome.kind === 'checked' ? exitCodeOf(outcome.checked.report) : outcome.kind === 'failed' ? FAILED : 0,
  );
  if (codes.includes(FAILED)) return FAILED;
  return codes.includes(INCOMPLETE) ? INCOMPLETE : 0;
}

/** A table with a line for each program, and a line that counts them. */
export function summaryText(outcomes: readonly FileOutcome[], colors: Colors): string {
  const rows = outcomes
    .map(rowOf)
    .map((row): SummaryRow => [visibleLine(row[0]), visibleLine(row[1]), row[2], visibleLine(row[3])]);
  const width = (column: 0 | 1 | 2): number => Math.max(...rows.map((row) => row[column].length));
  const [files, names, verdicts] = [width(0), width(1), width(2)];
  const lines = rows.map(([file, name, verdict, more]) =>
    `  ${file.padEnd(files)}  ${name.padEnd(names)}  ${painted(verdict, verdicts, colors)}  ${more}`.trimEnd(),
  );
  const count = (kind: FileOutcome['kind']): number => outcomes.filter((outcome) => outcome.kind === kind).length;
  const parts = [`${counted(count('checked'), 'program')} checked`];
  if (count('skipped') > 0) parts.push(`${count('skipped')} not checked`);
  if (count('failed') > 0) parts.push(`${count('failed')} failed`);
  return [colors.bold('summary'), ...lines, parts.join(', ')].join('\n');
}

type SummaryRow = readonly [file: string, name: string, verdict: string, more: string];

function rowOf(outcome: FileOutcome): SummaryRow {
  if (outcome.kind === 'skipped') return [outcome.file, outcome.name ?? '', 'not checked', outcome.why];
  if (outcome.kind === 'failed') return [outcome.file, outcome.name ?? '', 'failed', firstLine(outcome.error)];
  const { file, name, report, accepted } = outcome.checked;
  const errors = report.findings.filter(({ severity }) => severity === 'error').length;
  const [worst] = report.findings;
  const more = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(accepted.length > 0 ? [`${accepted.length} accepted`] : []),
    ...(errors > 0 && worst?.sequence !== undefined ? [`in the sequence ${worst.sequence}`] : []),
    ...(report.proves.kind === 'nothing' && errors === 0 ? [report.proves.bound] : []),
  ];
  return [file, name, report.verdict, more.join(', ')];
}

function firstLine(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
}

function painted(verdict: string, width: number, colors: Colors): string {
  const text = verdict.padEnd(width);
  if (verdict === 'clean') return colors.green(text);
  return verdict === 'incomplete' || verdict === 'not checked' ? colors.yellow(text) : colors.red(text);
}

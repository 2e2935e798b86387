import { writeFile } from 'node:fs/promises';
import {
  renderFinding,
  renderReport,
  reportToJson,
  reportToSarif,
  type CheckReport,
  type Verdict,
} from '@nccl-ts/findings';
import type { CheckCommandOptions } from './check-options.ts';
import type { Colors } from './colors.ts';
import type { ShrunkCheck } from './shrink-check.ts';
import { UsageError } from './usage-error.ts';
import { packageVersion } from './package-version.ts';

/** What `nccl-ts check` has to say. */
export interface Checked {
  /** As the command line names it. */
  readonly file: string;
  readonly program: 'kernel' | 'host';
  readonly name: string;
  readonly options: Pick<CheckCommandOptions, 'ranks' | 'lsaSize' | 'grid' | 'block' | 'arg' | 'kernel' | 'shrink'>;
  readonly report: CheckReport;
  readonly milliseconds: number;
  /** Where it was asked for, and something was found. */
  readonly shrunk?: ShrunkCheck;
}

/** The report for people: what was checked, every finding, the verdict; and the smallest launch that shows the worst. */
export function checkReportText(checked: Checked, colors: Colors): string {
  const { program, name, options, report, milliseconds, shrunk } = checked;
  const { ranks, grid, block } = options;
  // A host program may launch whatever it likes.
  const launch = program === 'kernel' ? `, ${counted(grid, 'CTA')} x ${counted(block, 'thread')}` : '';
  const head = `${colors.bold(name)} on ${counted(ranks, 'rank')}${launch}: checked in ${(milliseconds / 1000).toFixed(1)} s`;
  const parts = [head, painted(renderReport(report), report.verdict, colors)];
  if (shrunk !== undefined) parts.push(shrunkText(checked, shrunk, colors));
  else if (options.shrink === true && report.findings.length > 0) {
    parts.push('the schedule of the worst finding does not show it again by itself: nothing was made smaller');
  }
  return parts.join('\n\n');
}

function shrunkText({ file, options, name }: Checked, shrunk: ShrunkCheck, colors: Colors): string {
  const { input, finding, runs, smallest, command } = shrunk;
  const { ranks, grid, block, counts } = input;
  const sizes = [
    counted(ranks, 'rank'),
    `${counted(grid, 'CTA')} x ${counted(block, 'thread')}`,
    ...Object.entries(counts).map(([count, value]) => `${count} ${value}`),
  ];
  const kernel = options.kernel === undefined ? [] : [name];
  const least = smallest
    ? 'smallest launch that shows the worst finding'
    : 'smaller launch that shows the worst finding';
  return [
    `${colors.bold(least)}: ${sizes.join(', ')} (${counted(runs, 'run')})`,
    `  nccl-ts check ${[file, ...kernel, ...command].join(' ')}`,
    '',
    painted(renderFinding(finding), undefined, colors),
  ].join('\n');
}

function painted(text: string, verdict: Verdict | undefined, colors: Colors): string {
  const lines = text
    .replaceAll(/^error\[.*?\]:/gm, (word) => colors.red(word))
    .replaceAll(/^warning\[.*?\]:/gm, (word) => colors.yellow(word))
    .replaceAll(/^note\[.*?\]:/gm, (word) => colors.cyan(word));
  if (verdict === undefined) return lines;
  const paint = verdict === 'clean' ? colors.green : verdict === 'incomplete' ? colors.yellow : colors.red;
  return lines.replace(new RegExp(`^${verdict}:(?=.*$)`, 'm'), (word) => paint(word));
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The report for programs: `reportToJson`'s, and what was checked. */
export function checkReportJson({ program, name, options, report, shrunk }: Checked): string {
  const { ranks, lsaSize = ranks, grid, block, arg } = options;
  const input = { program, name, ranks, lsaSize, grid, block, args: Object.fromEntries(arg) };
  const smaller =
    shrunk === undefined
      ? {}
      : { shrunk: { ...shrunk.input, runs: shrunk.runs, smallest: shrunk.smallest, command: shrunk.command } };
  return JSON.stringify({ ...reportToJson(report), input, ...smaller }, undefined, 2);
}

/** Writes the report as SARIF, with files named from the current folder. */
export async function writeSarif(file: string, report: CheckReport): Promise<void> {
  const log = reportToSarif(report, { root: process.cwd(), toolVersion: packageVersion() });
  try {
    await writeFile(file, `${JSON.stringify(log, undefined, 2)}\n`);
  } catch (error) {
    throw new UsageError(`--sarif ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

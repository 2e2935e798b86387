import { relativePaths } from '../output/relative-paths.ts';
import {
  CHECK_REPORT_SCHEMA,
  CHECK_REPORT_VERSION,
  findingJson,
  renderFinding,
  renderProof,
  ranksText,
  renderReport,
  reportToJson,
  type Verdict,
} from '@nccl-ts/findings';
import type { ProgramResult, SequenceResult } from './check-program.ts';
import type { CheckCommandOptions } from './check-options.ts';
import type { RanksResult } from './check-rank-counts.ts';
import type { KernelValues } from '../launch/kernel-values.ts';
import type { Colors } from '../output/colors.ts';
import { counted } from '../output/counted.ts';
import { visibleLine } from '../output/visible-text.ts';
import { shortText } from './run-check.ts';
import { firstRepairJson } from '../repair/repair-text.ts';
import { fixText, type CheckFix } from './fix-check.ts';
import type { ShrunkCheck } from './shrink-check.ts';
import { windowSizeText } from './window-size-text.ts';

/** The report of `nccl-ts check` about one program. */
export interface Checked extends ProgramResult, Pick<RanksResult, 'rankCounts'> {
  /** The name on the command line. */
  readonly file: string;
  readonly program: 'kernel' | 'host';
  readonly name: string;
  readonly options: Pick<
    CheckCommandOptions,
    | 'ranks'
    | 'bytes'
    | 'lsaSize'
    | 'rankCounts'
    | 'harness'
    | 'grid'
    | 'block'
    | 'local'
    | 'kernel'
    | 'shrink'
    | 'wrap'
    | 'baseline'
    | 'updateBaseline'
  > &
    KernelValues;
  /** True if neither the harness nor the command line fixes the number of ranks. */
  readonly hasDefaultRanks?: boolean;
  readonly milliseconds: number;
  /** Present if it was requested and there is a finding. */
  readonly shrunk?: ShrunkCheck;
  /** Present if it was requested and there is an error. */
  readonly fix?: CheckFix;
}

/**
 * Returns the report for people: the program, every finding, the verdict, and the smallest launch
 * that shows the worst finding.
 */
export function checkReportText(checked: Checked, colors: Colors): string {
  const { program, name, options, report, sequences, accepted, silenced, milliseconds, shrunk, fix } = checked;
  const { rankCounts, hasDefaultRanks = false } = checked;
  const { grid, block, wrap, baseline } = options;
  // A host program may make any launches.
  const launch = program === 'kernel' ? `, ${counted(grid, 'CTA')} x ${counted(block, 'thread')}` : '';
  const from = wrap === undefined ? '' : `, counters from 2^${wrap} - 2 on`;
  const head = `${colors.bold(visibleLine(name))} on ${ranksText(rankCounts)}${launch}${from}: checked in ${(milliseconds / 1000).toFixed(1)} s`;
  const why = hasDefaultRanks
    ? [`  the harness fixes no number of ranks, so a check runs ${ranksText(rankCounts)}`]
    : [];
  const parts = [[head, ...why, ...sequenceLines(sequences)].join('\n')];
  if (accepted.length > 0 && baseline !== undefined) {
    const lines = accepted.map((finding) => `${colors.dim(`accepted[${finding.kind}]:`)} ${shortText(finding)}`);
    parts.push(
      [
        ...lines,
        `  ${baseline} accepts ${accepted.length === 1 ? 'it' : 'them'}: a check ends with its first error, so it may have missed errors after that`,
      ].join('\n'),
    );
  }
  if (silenced.length > 0) {
    const lines = silenced.flatMap(({ finding, by }) => [
      `${colors.dim(`accepted[${finding.kind}]:`)} ${shortText(finding)}`,
      `  by ${by}`,
    ]);
    parts.push(lines.join('\n'));
  }
  parts.push(painted(relativePaths(colors.rendered((how) => renderReport(report, how))), report.verdict, colors));
  const size = program === 'kernel' ? windowSizeText(report.findings, options) : undefined;
  if (size !== undefined) parts.push(size);
  if (shrunk !== undefined) parts.push(shrunkText(checked, shrunk, colors));
  else if (options.shrink === true && report.findings.length > 0) {
    parts.push('no single schedule showed the worst finding again, so no smaller launch was searched for');
  }
  if (fix !== undefined) parts.push(relativePaths(fixText(checked.file, fix, options, colors)));
  return parts.join('\n\n');
}

/** Returns one line for each sequence, unless there is only a single launch. */
function sequenceLines(sequences: readonly SequenceResult[]): readonly string[] {
  if (sequences.length === 1 && sequences[0]?.name === 'once') return [];
  const wrong = sequences.findLast(({ report }) => report !== undefined)?.name;
  return sequences.map(({ name, what, report }) => {
    const said =
      report === undefined
        ? `not run, because ${wrong} has an error`
        : `${report.verdict}; ${renderProof(report.proves, report.verdict === 'clean')}`;
    return `  ${name} (${what}): ${said}`;
  });
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
    colors.rendered((how) => renderFinding(finding, undefined, how)),
  ].join('\n');
}

/** Colours the verdict at the end of the report. The findings have their own colours. */
function painted(text: string, verdict: Verdict, colors: Colors): string {
  const paint = verdict === 'clean' ? colors.green : verdict === 'incomplete' ? colors.yellow : colors.red;
  return text.replace(new RegExp(`^${verdict}:(?=.*$)`, 'm'), (word) => paint(word));
}

/** Returns the report for programs: that of `reportToJson`, with facts about the check. */
export function checkReportJson({
  file,
  program,
  name,
  options,
  report,
  sequences,
  accepted,
  silenced,
  shrunk,
  rankCounts,
  hasDefaultRanks = false,
  fix,
}: Checked): Readonly<Record<string, unknown>> {
  const { ranks, lsaSize = ranks, grid, block, local, arg, fill, type, require, wrap } = options;
  const input = {
    program,
    name,
    ranks,
    ...(rankCounts.length === 1 ? {} : { rankCounts, hasDefaultRanks }),
    ...(local === true ? { local } : {}),
    lsaSize,
    grid,
    block,
    args: Object.fromEntries(arg),
    ...(fill.size === 0 ? {} : { fill: Object.fromEntries(fill) }),
    ...(type.size === 0 ? {} : { types: Object.fromEntries(type) }),
    ...(Object.keys(require).length === 0 ? {} : { require }),
    ...(wrap === undefined ? {} : { wrap }),
  };
  return {
    ...reportToJson(report),
    file,
    input,
    ...(sequences.length === 0 ? {} : { sequences: sequences.map(sequenceJson) }),
    ...(options.baseline === undefined ? {} : { accepted: accepted.map((finding) => findingJson(finding, 1)) }),
    ...(silenced.length === 0
      ? {}
      : { silenced: silenced.map(({ finding, by }) => ({ ...findingJson(finding, 1), by })) }),
    ...(shrunk === undefined
      ? {}
      : {
          shrunk: { ...shrunk.input, runs: shrunk.runs, smallest: shrunk.smallest, command: shrunk.command },
        }),
    ...(fix === undefined ? {} : { fix: 'why' in fix ? fix : firstRepairJson(fix.report) }),
  };
}

function sequenceJson({ name, what, report }: SequenceResult): unknown {
  if (report === undefined) return { name, what };
  const { verdict, proves, accesses } = report;
  return { name, what, verdict, proves, accesses };
}

/** The head of a list of several reports. */
export const reportsHead = {
  $schema: CHECK_REPORT_SCHEMA,
  format: 'nccl-ts/check-reports',
  version: CHECK_REPORT_VERSION,
} as const;

import {
  bandwidthHolds,
  type BenchConfig,
  type BenchDevice,
  type BenchMeasure,
  type BenchRow,
  type BenchSummary,
  type Blocking,
} from './bench-report.ts';
import { fitted, general } from './c-format.ts';
import { iterationStats } from './iteration-stats.ts';

/*
 * Lines as nccl-tests 2.19.6 prints them for the same numbers (its src/util.cu), for people and for
 * scripts that read nccl-tests' output. They have no line breaks.
 */

/** The version of nccl-tests whose formats these are. */
export const NCCL_TESTS_VERSION = '2.19.6';

/** The columns of the table. */
export type Columns = Pick<BenchConfig, 'perIterTiming' | 'reportCputime' | 'reportTimestamps'>;

const blockingLines: Readonly<Record<Blocking, readonly string[]>> = {
  0: [],
  1: ['# Blocking Enabled: wait and barrier after each inner iteration (-m) '],
  2: ['# Blocking Enabled: wait after each inner iteration (-m), no barrier '],
  3: ['# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes barrier '],
};

/** The lines before the devices. `ncclVersion` is NCCL's version code. */
export function configLines(config: BenchConfig, ncclVersion: number): readonly string[] {
  const { step } = config;
  const skip = config.perIterSkip === 0 ? '' : `; summary skips first ${config.perIterSkip} iterations`;
  return [
    `# nccl-tests version ${NCCL_TESTS_VERSION} nccl-headers=${ncclVersion} nccl-library=${ncclVersion}`,
    `# Collective test starting: ${config.program}`,
    `# nThread ${config.nThreads} nGpus ${config.nGpus} minBytes ${config.minBytes} maxBytes ${config.maxBytes} ` +
      `step: ${step.value}(${step.kind}) warmup iters: ${config.warmupIters} iters: ${config.iters} ` +
      `agg iters: ${config.aggIters} validation: ${config.check} graph: ${config.graphLaunches} ` +
      `unalign: ${config.unalign}`,
    ...blockingLines[config.blocking],
    // nccl-tests prints "CUDA event timing" here, which does not apply.
    ...(config.perIterTiming ? [`# Per-Iteration Report: host timing; i_* uses max over ranks${skip} `] : []),
    ...(config.parallelInit ? ['# Parallel Init Enabled: threads call into NcclInitRank concurrently '] : []),
    '#',
    '# Using devices',
  ];
}

export function deviceLine({ rank, group, pid, hostname, device, pci, name }: BenchDevice): string {
  const numbers = `Rank ${left(rank, 2)} Group ${left(group, 2)} Pid ${left(pid, 6)}`;
  return `#  ${numbers} on ${hostname.padStart(10)} device ${left(device, 2)} [${pci}] ${name}`;
}

/** The table's head. */
export function tableHead({ perIterTiming, reportCputime, reportTimestamps }: Columns): readonly string[] {
  const time = reportCputime ? 'cputime' : 'time';
  const halves = (measured: readonly string[], each: readonly string[]): readonly string[] => {
    const half = [...measured, ...(perIterTiming ? each : [])];
    return [...half, ...half];
  };
  const widths = halves(['7', '6', '6', '6'], ['7', '7', '7', '7']).map(Number);
  const line = (row: readonly string[], columns: readonly string[], stamp: string): string => {
    const cells = columns.map((text, i) => text.padStart(widths[i] ?? 0));
    return `# ${[...firstCells(row, 10), ...cells].join('  ')} ${reportTimestamps ? stamp.padStart(19) : ''}`;
  };
  const above = perIterTiming
    ? '              out-of-place (+ per-iteration)                                in-place (+ per-iteration)'
    : '           out-of-place                       in-place          ';
  return [
    '#',
    `# ${firstCells(['', '', '', '', ''], 10).join('  ')}${above}`,
    line(
      ['size', 'count', 'type', 'redop', 'root'],
      halves([time, 'algbw', 'busbw', '#wrong'], ['i_min', 'i_max', 'i_p99', 'i_cv%']),
      'timestamp',
    ),
    line(
      ['(B)', '(elements)', '', '', ''],
      halves(['(us)', '(GB/s)', '(GB/s)', ''], ['(us)', '(us)', '(us)', '(%)']),
      '%Y-%m-%d %H:%M:%S',
    ),
  ];
}

/** A line of the table. A half that was not measured is blank. */
export function rowLine(row: BenchRow, { perIterTiming, reportTimestamps }: Columns): string {
  const first = firstCells([String(row.size), String(row.count), row.type, row.redop, left(row.root, 6)], 12);
  const half = (measure: BenchMeasure | undefined): string =>
    measure === undefined
      ? ' '.repeat(perIterTiming ? BLANK + ITERATIONS_BLANK : BLANK)
      : measureText(measure) + (perIterTiming ? iterationsText(measure) : '');
  const stamp = reportTimestamps ? (row.timestamp ?? '').padStart(21) : '';
  return `${first.join('  ')}${half(row.outOfPlace)}${half(row.inPlace)}${stamp}`;
}

/** The lines after the table. The last one is empty. `error` is the error, if there was one. */
export function footerLines(summary: BenchSummary, program: string, error?: string): readonly string[] {
  const { outOfBounds, averageBusBw } = summary;
  const holds = bandwidthHolds(summary);
  const verdict = holds === undefined ? '' : holds ? 'OK' : 'FAILED';
  return [
    `# ${'Out of bounds values'.padEnd(20)} : ${outOfBounds} ${outOfBounds === 0 ? 'OK' : 'FAILED'}`,
    `# ${'Avg bus bandwidth'.padEnd(20)} : ${general(averageBusBw)} ${verdict}`,
    '#',
    `# Collective test concluded: ${program}`,
    '#',
    error === undefined ? '' : `# error: ${error}`,
  ];
}

/** Leaves a half blank as nccl-tests does, one column narrower than it fills. */
const BLANK = 32;
const ITERATIONS_BLANK = 36;

function firstCells([size = '', count = '', type = '', redop = '', root = '']: readonly string[], width: number) {
  return [size.padStart(width), count.padStart(12), type.padStart(8), redop.padStart(6), root.padStart(6)];
}

function measureText({ time, algBw, busBw, wrong }: BenchMeasure): string {
  const cells = [fitted(time, 7).padStart(7), fitted(algBw, 6).padStart(6), fitted(busBw, 6).padStart(6)];
  return `  ${cells.join('  ')}  ${(wrong === undefined ? 'N/A' : general(wrong)).padStart(wrong === undefined ? 5 : 6)}`;
}

function iterationsText({ iterations }: BenchMeasure): string {
  if (iterations === undefined) return ' '.repeat(ITERATIONS_BLANK);
  const { min, max, p99, cv } = iterationStats(iterations.times.slice(iterations.skipped));
  return [min, max, p99, cv].map((value) => `  ${fitted(value, 7).padStart(7)}`).join('');
}

function left(value: number, width: number): string {
  return String(value).padStart(width);
}

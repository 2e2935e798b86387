import { renderTime } from '@nccl-ts/timeline';
import { visibleLine } from '../output/visible-text.ts';
import type { Colors } from '../output/colors.ts';
import { counted } from '../output/counted.ts';
import { comparedText } from './compared-text.ts';
import type { RanOn } from './run-backend.ts';
import type { RankResult } from '../launch/run-kernel.ts';
import type { LaunchTime } from './trace-file.ts';

/** The report of `nccl-ts run`. */
export interface RunReport {
  readonly program: 'kernel' | 'host';
  /** The kernel's name; `host` for a module's own host program. */
  readonly name: string;
  readonly ranOn: RanOn;
  readonly ranks: number;
  readonly lsaSize: number;
  readonly grid: number;
  readonly block: number;
  readonly results: readonly RankResult[];
  /** The launches, if a trace was requested. */
  readonly simulated?: readonly LaunchTime[];
}

/** Sums alone would not say of what they are. */
const CONTENTS = '  the windows after the launch; before it, floats were a ramp and integers 0, or as --fill says:';

/** The number of ranks that the text shows. JSON has all. */
const SHOWN_RANKS = 16;

/**
 * Returns the report for people: a line for the run, and then printed lines, returned values and
 * contents of memory, rank by rank.
 */
export function reportText(report: RunReport, show: number, colors: Colors): string {
  const { program, name, ranOn, ranks, grid, block, results } = report;
  const milliseconds = Math.max(...results.map((result) => result.milliseconds));
  // A host program may make any launches.
  const launch = program === 'kernel' ? `, ${counted(grid, 'CTA')} x ${counted(block, 'thread')}` : '';
  const shape = `${counted(ranks, 'rank')}${launch}${deviceText(ranOn)}`;
  const lines = [
    `${colors.bold(visibleLine(name))} on ${shape}: ${colors.green('done')} in ${milliseconds.toFixed(1)} ms`,
  ];
  for (const { kernel, start, end } of report.simulated ?? []) {
    lines.push(`  simulated: ${visibleLine(kernel)} took ${renderTime(end - start)}, from ${renderTime(start)} on`);
  }
  const outcome = comparedText(results) ?? silenceText(report);
  if (outcome !== undefined) lines.push(`  ${visibleLine(outcome)}`);
  if (program === 'kernel' && results.some(({ windows }) => Object.keys(windows).length > 0)) lines.push(CONTENTS);
  for (const result of results.slice(0, SHOWN_RANKS)) {
    // A kernel may print more lines than a call takes arguments.
    for (const line of rankLines(result, show)) lines.push(line);
  }
  if (results.length > SHOWN_RANKS) lines.push(`  ... ${results.length - SHOWN_RANKS} more ranks (--json shows all)`);
  return lines.join('\n');
}

/** Says that a host program has no results, if nothing else would follow. */
function silenceText({ program, results }: RunReport): string | undefined {
  const isSilent = results.every(({ value, printed }) => value === undefined && printed.length === 0);
  return program === 'host' && isSilent ? 'host returned nothing, so there are no results to show' : undefined;
}

/** Empty for the simulator, which is the default. */
function deviceText(ranOn: RanOn): string {
  if (ranOn.backend === 'sim') return '';
  if (ranOn.backend === 'cuda') return `, CUDA on ${counted(new Set(ranOn.devices).size, 'GPU')}`;
  return `, WebGPU on ${ranOn.adapter}${ranOn.software ? ' (emulated on the CPU: times are meaningless for GPUs)' : ''}`;
}

function rankLines({ rank, printed, value, windows }: RankResult, show: number): readonly string[] {
  const lines = printed.map((line) => `  ${visibleLine(line)}`);
  if (value !== undefined) lines.push(`  rank ${rank}: ${valueText(value, show)}`);
  for (const [name, { type, sum, first }] of Object.entries(windows)) {
    const elements = first.length > 0 ? `  [${first.join(', ')}, ...]` : '';
    const typed = type === 'f32' ? '' : ` (${type})`;
    lines.push(`  rank ${rank}: ${visibleLine(name)}${typed} sum ${sum}${elements}`);
  }
  return lines;
}

function valueText(value: unknown, show: number): string {
  if (typeof value === 'string') return value;
  if (!isTypedArray(value)) return JSON.stringify(value, jsonValue(show)) ?? String(value);
  const more = value.length > show ? ', ...' : '';
  return `[${value.slice(0, show).join(', ')}${more}] (${counted(value.length, 'element')})`;
}

/**
 * Returns the report for programs. Bigints are strings. Typed arrays have their first `show`
 * elements.
 */
export function reportJson(report: RunReport, show: number): string {
  return JSON.stringify(report, jsonValue(show), 2);
}

/**
 * Returns a replacer for one call of `JSON.stringify`. The value of a host program may contain
 * itself.
 */
function jsonValue(show: number): (this: unknown, key: string, value: unknown) => unknown {
  /** The objects that contain the current one. */
  const around: unknown[] = [];
  return function (_key, value) {
    if (typeof value === 'bigint') return String(value);
    // JSON cannot represent these.
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (isTypedArray(value)) return { length: value.length, first: Array.from<number | bigint>(value.slice(0, show)) };
    if (typeof value !== 'object' || value === null) return value;
    // The replacement of a typed array is not among them.
    if (around.includes(this)) while (around.at(-1) !== this) around.pop();
    if (around.includes(value)) return '[circular]';
    around.push(value);
    return value;
  };
}

type TypedArray = Float32Array | Float64Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

/** True for every kind of typed array. All have the members that are used here. */
function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

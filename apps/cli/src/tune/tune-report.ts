import { alignCells, medianOf } from '@nccl-ts/core';
import { algorithmsOf, type CollectiveName, type SelectionRule } from '@nccl-ts/collectives';
import type { Colors } from '../output/colors.ts';
import type { SizedMeasurement } from './measure-algorithms.ts';

/** The report of `nccl-ts tune`. */
export interface TuneReport {
  readonly backend: string;
  readonly ranks: number;
  readonly lsaSize: number;
  readonly datatype: string;
  readonly rounds: number;
  readonly iters: number;
  /** The percentage by which an algorithm must be faster to replace another. */
  readonly margin: number;
  readonly measurements: readonly SizedMeasurement[];
  readonly rules: readonly SelectionRule[];
}

/** Marks the best algorithm. */
const BEST = ' *';

/**
 * Returns a table for each collective, with a line for each size and a column for each algorithm.
 * The best one is marked.
 */
export function tuneTables(report: TuneReport, colors: Colors): string {
  const collectives = [...new Set(report.measurements.map(({ collective }) => collective))];
  return collectives.map((collective) => table(report, collective, colors)).join('\n\n');
}

/**
 * Returns the text after the tables: the meaning of the rules, or the reason why there are none.
 */
export function tuneVerdict({ rules, margin, ranks, lsaSize }: TuneReport): string {
  if (lsaSize < ranks) return 'no rules: only one algorithm works between load-store domains';
  if (rules.length === 0) return `no rules: no algorithm is ${margin} % faster than the default choice`;
  return ['rules:', ...rules.map(ruleLine)].join('\n');
}

/** Returns the report for programs. Medians and the times of rounds are in microseconds. */
export function tuneJson(report: TuneReport): string {
  const measurements = report.measurements.map((one) => ({ ...one, median: medianOf(one.times) }));
  return JSON.stringify({ ...report, measurements }, undefined, 2);
}

/** Returns the rules as in a file: one on each line. */
export function rulesJson(rules: readonly SelectionRule[]): string {
  return rules.length === 0 ? '[]\n' : `[\n${rules.map((rule) => `  ${JSON.stringify(rule)}`).join(',\n')}\n]\n`;
}

function table(report: TuneReport, collective: CollectiveName, colors: Colors): string {
  const { backend, ranks, datatype, rounds, iters } = report;
  const rows = report.measurements.filter((one) => one.collective === collective);
  const algorithms = algorithmsOf[collective].filter((name) => rows.some(({ algorithm }) => algorithm === name));
  const head = `${collective} on ${ranks} ranks of ${backend}, ${datatype}: µs of a call, median of ${rounds} x ${iters}`;
  const lines = [...new Set(rows.map(({ size }) => size))].map((size) => {
    const row = rows.filter((one) => one.size === size);
    const medians = algorithms.map((name) => medianOf(row.find(({ algorithm }) => algorithm === name)?.times ?? []));
    const best = Math.min(...medians.filter((time) => !Number.isNaN(time)));
    const cells = medians.map((time) => (Number.isNaN(time) ? '-' : `${time.toFixed(2)}${time === best ? BEST : ''}`));
    return [String(size), String(row[0]?.bytes ?? 0), ...cells];
  });
  const aligned = alignCells([['size (B)', 'count (B)', ...algorithms], ...lines], () => true);
  const painted = aligned.map((cells) => cells.map((cell) => (cell.endsWith(BEST) ? colors.green(cell) : cell)));
  return [colors.bold(head), ...painted.map((cells) => `  ${cells.join('  ')}`)].join('\n');
}

function ruleLine({ collective, algorithm, backend, minRanks, maxBytes }: SelectionRule): string {
  const size = maxBytes === undefined ? 'of any size' : `up to ${maxBytes} bytes`;
  const ranks = minRanks === undefined ? 'any number of ranks' : `${minRanks} ranks`;
  return `  ${collective}: ${algorithm} ${size}, on ${ranks} of ${backend ?? 'any backend'}`;
}

import {
  bandwidthHolds,
  type BenchConfig,
  type BenchDevice,
  type BenchMeasure,
  type BenchRow,
  type BenchSummary,
} from './bench-report.ts';
import { iterationStats } from './iteration-stats.ts';
import { jsonBool, jsonDouble, jsonInteger, jsonList, jsonObject, jsonString, type Json } from './json-text.ts';

/** Version of the layout: nccl-tests 2.19.6 writes 3. */
export const JSON_FILE_VERSION = 3;

/** All data of a run. */
export interface BenchReport {
  /** A time in the form of `timestampOf`. */
  readonly startTime: string;
  readonly endTime: string;
  readonly args: readonly string[];
  /** Each as `NAME=value`. */
  readonly env: readonly string[];
  readonly ncclVersion: number;
  readonly config: BenchConfig;
  readonly devices: readonly BenchDevice[];
  readonly rows: readonly BenchRow[];
  /** `undefined` if the run ended early. */
  readonly summary: BenchSummary | undefined;
  /** The error, if there was one. */
  readonly error?: string;
}

/**
 * The document that nccl-tests 2.19.6 writes for the same numbers, with the same members, order,
 * types and number formats, and without spaces. It differs in two ways. Every rank is in the list
 * of devices, and missing in-place measurements are also null.
 */
export function jsonReport(report: BenchReport): string {
  const { config, rows, summary, error } = report;
  return jsonObject([
    ['version', jsonInteger(JSON_FILE_VERSION)],
    ['start_time', jsonString(report.startTime)],
    ['args', jsonList(report.args.map(jsonString))],
    ['env', jsonList(report.env.map(jsonString))],
    ['nccl_version', jsonInteger(report.ncclVersion)],
    ['config', configJson(config, report.devices)],
    ['results', jsonList(rows.map((row) => rowJson(row, config)))],
    ...(summary === undefined ? [] : summaryJson(summary)),
    // NCCL's last error is an empty string if there was none.
    ['errors', jsonList([jsonString(error ?? '')])],
    ['end_time', jsonString(report.endTime)],
  ]);
}

function configJson(config: BenchConfig, devices: readonly BenchDevice[]): Json {
  return jsonObject([
    ['nthreads', jsonInteger(config.nThreads)],
    ['ngpus', jsonInteger(config.nGpus)],
    ['minimum_bytes', jsonInteger(config.minBytes)],
    ['maximum_bytes', jsonInteger(config.maxBytes)],
    [config.step.kind === 'factor' ? 'step_factor' : 'step_bytes', jsonInteger(config.step.value)],
    ['warmup_iters', jsonInteger(config.warmupIters)],
    ['iterations', jsonInteger(config.iters)],
    ['aggregated_iterations', jsonInteger(config.aggIters)],
    ['validation', jsonInteger(config.check)],
    ['graph', jsonInteger(config.graphLaunches)],
    ['blocking_collectives', jsonBool(config.blocking !== 0)],
    ['per_iter_timing', jsonBool(config.perIterTiming)],
    ['per_iter_skip', jsonInteger(config.perIterSkip)],
    ['parallel_init', jsonBool(config.parallelInit)],
    ['devices', jsonList(devices.map(deviceJson))],
  ]);
}

function deviceJson({ rank, group, pid, hostname, device, pci, name }: BenchDevice): Json {
  return jsonObject([
    ['rank', jsonInteger(rank)],
    ['group', jsonInteger(group)],
    ['pid', jsonInteger(pid)],
    ['hostname', jsonString(hostname)],
    ['device', jsonInteger(device)],
    ['device_hex', jsonString(pci)],
    ['device_info', jsonString(name)],
  ]);
}

function rowJson(row: BenchRow, { reportCputime }: BenchConfig): Json {
  const time = reportCputime ? 'cpu_time' : 'time';
  return jsonObject([
    ['size', jsonInteger(row.size)],
    ['count', jsonInteger(row.count)],
    ['type', jsonString(row.type)],
    ['redop', jsonString(row.redop)],
    ['root', jsonString(String(row.root).padStart(6))],
    ...measureJson('out_of_place', row.outOfPlace, time),
    ...measureJson('in_place', row.inPlace, time),
    ['actual_iterations', jsonInteger(row.iters)],
    ['experiment_name', jsonString(row.experiment)],
  ]);
}

type Members = readonly (readonly [string, Json])[];

function measureJson(name: string, measure: BenchMeasure | undefined, timeName: string): Members {
  if (measure === undefined) return [[name, 'null']];
  const { time, algBw, busBw, wrong, iterations } = measure;
  const measured = jsonObject([
    [timeName, jsonDouble(time)],
    ['alg_bw', jsonDouble(algBw)],
    ['bus_bw', jsonDouble(busBw)],
    ['nwrong', wrong === undefined ? 'null' : jsonDouble(wrong)],
  ]);
  if (iterations === undefined) return [[name, measured]];
  const stats = iterationStats(iterations.times.slice(iterations.skipped));
  const each = jsonObject([
    ['skipped_iterations', jsonInteger(iterations.skipped)],
    ['min_us', jsonDouble(stats.min)],
    ['max_us', jsonDouble(stats.max)],
    ['avg_us', jsonDouble(stats.avg)],
    ['p50_us', jsonDouble(stats.p50)],
    ['p95_us', jsonDouble(stats.p95)],
    ['p99_us', jsonDouble(stats.p99)],
    ['stdev_us', jsonDouble(stats.stdev)],
    ['cv_pct', jsonDouble(stats.cv)],
    ['times_us', jsonList(iterations.times.map(jsonDouble))],
  ]);
  return [
    [name, measured],
    [`${name}_per_iter`, each],
  ];
}

function summaryJson(summary: BenchSummary): Members {
  const { outOfBounds, averageBusBw } = summary;
  const holds = bandwidthHolds(summary);
  return [
    [
      'out_of_bounds',
      jsonObject([
        ['count', jsonInteger(outOfBounds)],
        ['okay', jsonBool(outOfBounds === 0)],
      ]),
    ],
    [
      'average_bus_bandwidth',
      jsonObject([
        ['bandwidth', jsonDouble(averageBusBw)],
        ['okay', holds === undefined ? jsonString('unchecked') : jsonBool(holds)],
      ]),
    ],
  ];
}

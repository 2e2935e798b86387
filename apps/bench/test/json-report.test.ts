import { expect, test } from 'vitest';
import type { BenchConfig } from '../src/nccl-tests/report/bench-report.ts';
import { jsonReport, type BenchReport } from '../src/nccl-tests/report/json-report.ts';

/*
 * The document follows nccl-tests 2.19.6 (its src/util.cu, version 3 of the layout): members,
 * order, number formats.
 */

const config: BenchConfig = {
  program: 'reduce_perf',
  nThreads: 1,
  nGpus: 1,
  minBytes: 8,
  maxBytes: 16,
  step: { kind: 'factor', value: 2 },
  warmupIters: 1,
  iters: 3,
  aggIters: 1,
  check: 1,
  graphLaunches: 2,
  unalign: 0,
  blocking: 1,
  perIterTiming: true,
  perIterSkip: 1,
  parallelInit: false,
  reportCputime: false,
  reportTimestamps: false,
};

const report: BenchReport = {
  startTime: '2026-01-31 23:59:58',
  endTime: '2026-01-31 23:59:59',
  args: ['/usr/bin/reduce_perf', '-o', 'sum "quoted"'],
  env: ['NCCL_DEBUG=INFO\tand more'],
  ncclVersion: 23007,
  config,
  devices: [{ rank: 0, group: 0, pid: 77, hostname: 'node7', device: 2, pci: '0000:db:00', name: 'NVIDIA H200' }],
  rows: [
    {
      size: 16,
      count: 4,
      type: 'float',
      redop: 'sum',
      root: 1,
      outOfPlace: { time: 12.5, algBw: 1.28e-3, busBw: 0.00128, wrong: 0 },
      inPlace: { time: 20, algBw: 0.8, busBw: 0.8, wrong: undefined, iterations: { skipped: 1, times: [40, 10, 30] } },
      iters: 3,
      experiment: '',
    },
  ],
  summary: { outOfBounds: 0, averageBusBw: 0.40064, minBusBw: undefined },
};

const row =
  '{"size":16,"count":4,"type":"float","redop":"sum","root":"     1",' +
  '"out_of_place":{"time":12.500000,"alg_bw":0.001280,"bus_bw":0.001280,"nwrong":0.000000},' +
  '"in_place":{"time":20.000000,"alg_bw":0.800000,"bus_bw":0.800000,"nwrong":null},' +
  '"in_place_per_iter":{"skipped_iterations":1,"min_us":10.000000,"max_us":30.000000,"avg_us":20.000000,' +
  '"p50_us":30.000000,"p95_us":30.000000,"p99_us":30.000000,"stdev_us":10.000000,"cv_pct":50.000000,' +
  '"times_us":[40.000000,10.000000,30.000000]},' +
  '"actual_iterations":3,"experiment_name":""}';

const head =
  '{"version":3,"start_time":"2026-01-31 23:59:58",' +
  '"args":["\\/usr\\/bin\\/reduce_perf","-o","sum \\"quoted\\""],"env":["NCCL_DEBUG=INFO\\tand more"],"nccl_version":23007,' +
  '"config":{"nthreads":1,"ngpus":1,"minimum_bytes":8,"maximum_bytes":16,"step_factor":2,"warmup_iters":1,"iterations":3,' +
  '"aggregated_iterations":1,"validation":1,"graph":2,"blocking_collectives":"true","per_iter_timing":"true",' +
  '"per_iter_skip":1,"parallel_init":"false","devices":[{"rank":0,"group":0,"pid":77,"hostname":"node7","device":2,' +
  '"device_hex":"0000:db:00","device_info":"NVIDIA H200"}]},"results":';

test('the JSON report has the facts of a run', () => {
  expect(jsonReport(report)).toBe(
    `${head}[${row}],"out_of_bounds":{"count":0,"okay":"true"},` +
      '"average_bus_bandwidth":{"bandwidth":0.400640,"okay":"unchecked"},"errors":[""],"end_time":"2026-01-31 23:59:59"}',
  );
});

test('the JSON report of an interrupted run has the results so far, and the reason', () => {
  const text = jsonReport({ ...report, rows: [], summary: undefined, error: 'aborted' });
  expect(text).toBe(`${head}[],"errors":["aborted"],"end_time":"2026-01-31 23:59:59"}`);
});

test('the JSON report names options that differ', () => {
  const first = report.rows.map((each) => ({ ...each, outOfPlace: undefined, inPlace: each.outOfPlace }));
  const text = jsonReport({
    ...report,
    args: ['naïve'],
    config: { ...config, step: { kind: 'bytes', value: 4 }, reportCputime: true },
    rows: first,
    summary: { outOfBounds: 2, averageBusBw: Number.NaN, minBusBw: 100 },
  });
  expect(text).toContain('"args":["na\\u00efve"]');
  expect(text).toContain('"maximum_bytes":16,"step_bytes":4,');
  expect(text).toContain('"out_of_place":null,"in_place":{"cpu_time":12.500000,');
  expect(text).toContain(
    '"out_of_bounds":{"count":2,"okay":"false"},"average_bus_bandwidth":{"bandwidth":"nan","okay":"false"}',
  );
  expect(() => void JSON.parse(text)).not.toThrow();
});

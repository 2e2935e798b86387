import { expect, test } from 'vitest';
import type { BenchConfig, BenchRow } from '../src/nccl-tests/report/bench-report.ts';
import { exponential, fixed, general } from '../src/nccl-tests/report/c-format.ts';
import { iterationStats } from '../src/nccl-tests/report/iteration-stats.ts';
import { configLines, deviceLine, footerLines, rowLine, tableHead } from '../src/nccl-tests/report/text-report.ts';

/*
 * The lines follow nccl-tests 2.19.6: the format strings of its src/util.cu, filled in with these
 * numbers by hand and by Python's %, which formats as C does.
 */

const plain = { perIterTiming: false, reportCputime: false, reportTimestamps: false };

const config: BenchConfig = {
  program: 'all_reduce_perf',
  nThreads: 1,
  nGpus: 8,
  minBytes: 1024,
  maxBytes: 1073741824,
  step: { kind: 'factor', value: 4 },
  warmupIters: 5,
  iters: 20,
  aggIters: 1,
  check: 1,
  graphLaunches: 0,
  unalign: 0,
  blocking: 0,
  parallelInit: false,
  perIterSkip: 0,
  ...plain,
};

const row: BenchRow = {
  size: 1024,
  count: 256,
  type: 'float',
  redop: 'sum',
  root: -1,
  outOfPlace: { time: 12.345, algBw: 0.08, busBw: 0.145, wrong: 0 },
  inPlace: { time: 12.355, algBw: 0.0829, busBw: 0.145, wrong: 0 },
  iters: 20,
  experiment: '',
};

test('a report has a head', () => {
  expect(configLines(config, 23007)).toEqual([
    '# nccl-tests version 2.19.6 nccl-headers=23007 nccl-library=23007',
    '# Collective test starting: all_reduce_perf',
    '# nThread 1 nGpus 8 minBytes 1024 maxBytes 1073741824 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0',
    '#',
    '# Using devices',
  ]);
});

test('the head lists settings that differ from the defaults', () => {
  const unusual: BenchConfig = {
    ...config,
    blocking: 3,
    perIterTiming: true,
    perIterSkip: 2,
    step: { kind: 'bytes', value: 1048576 },
  };
  expect(configLines(unusual, 22907).slice(2)).toEqual([
    '# nThread 1 nGpus 8 minBytes 1024 maxBytes 1073741824 step: 1048576(bytes) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0',
    '# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes barrier ',
    '# Per-Iteration Report: host timing; i_* uses max over ranks; summary skips first 2 iterations ',
    '#',
    '# Using devices',
  ]);
  expect(configLines({ ...config, blocking: 1 }, 23007)[3]).toBe(
    '# Blocking Enabled: wait and barrier after each inner iteration (-m) ',
  );
  expect(configLines({ ...config, blocking: 2 }, 23007)[3]).toBe(
    '# Blocking Enabled: wait after each inner iteration (-m), no barrier ',
  );
});

test('a report has a line for each rank', () => {
  const device = { rank: 3, group: 0, pid: 4242, hostname: 'node7', device: 3, pci: '0000:db:00', name: 'NVIDIA H200' };
  expect(deviceLine(device)).toBe('#  Rank  3 Group  0 Pid   4242 on      node7 device  3 [0000:db:00] NVIDIA H200');
});

test('the table has a head', () => {
  expect(tableHead(plain)).toEqual([
    '#',
    '#                                                              out-of-place                       in-place          ',
    '#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong ',
    '#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         ',
  ]);
  expect(tableHead({ ...plain, reportCputime: true, reportTimestamps: true }).slice(2)).toEqual([
    '#       size         count      type   redop    root  cputime   algbw   busbw  #wrong  cputime   algbw   busbw  #wrong           timestamp',
    '#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)           %Y-%m-%d %H:%M:%S',
  ]);
  expect(tableHead({ ...plain, perIterTiming: true }).slice(1)).toEqual([
    '#                                                                 out-of-place (+ per-iteration)                                in-place (+ per-iteration)',
    '#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv% ',
    '#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)     (us)     (us)      (%)     (us)  (GB/s)  (GB/s)             (us)     (us)     (us)      (%) ',
  ]);
});

test.each<readonly [string, Partial<BenchRow>, string]>([
  [
    'usual',
    {},
    '        1024           256     float     sum      -1    12.35    0.08    0.14       0    12.36    0.08    0.14       0',
  ],
  [
    'with numbers that need their columns',
    {
      size: 1073741824,
      count: 536870912,
      type: 'bfloat16',
      redop: 'mulsum',
      outOfPlace: { time: 2951.456789, algBw: 363.8, busBw: 636.65, wrong: 3 },
      inPlace: { time: 123456.789, algBw: 8.7, busBw: 15.2, wrong: 1234567 },
    },
    '  1073741824     536870912  bfloat16  mulsum      -1  2951.46  363.80  636.65       3   123457    8.70   15.20  1.23457e+06',
  ],
  [
    'with numbers that do not fit, and without a check',
    {
      size: 0,
      count: 0,
      type: 'f8e5m2',
      redop: 'none',
      root: 15,
      outOfPlace: { time: 12345678.9, algBw: 1234567, busBw: 999.996, wrong: undefined },
      inPlace: { time: 0.125, algBw: 9999.5, busBw: 99999.5, wrong: undefined },
    },
    '           0             0    f8e5m2    none      15  1.2e+07   1e+06  1000.0    N/A     0.12  9999.5  100000    N/A',
  ],
  [
    'not measured in place',
    {
      size: 8,
      count: 8,
      type: 'uint8',
      redop: 'none',
      outOfPlace: { time: 3, algBw: 1, busBw: 1, wrong: 0 },
      inPlace: undefined,
    },
    '           8             8     uint8    none      -1     3.00    1.00    1.00       0                                ',
  ],
])('a table row %s', (_, changes, line) => {
  expect(rowLine({ ...row, ...changes }, plain)).toBe(line);
});

test('a row may have times of iterations and of the day', () => {
  const half = { time: 27.5, algBw: 0.04, busBw: 0.07, wrong: 0, iterations: { skipped: 1, times: [50, 10, 20, 30] } };
  const timed = { ...row, outOfPlace: half, inPlace: half, timestamp: '2026-01-31 23:59:59' };
  expect(rowLine(timed, { perIterTiming: true, reportCputime: false, reportTimestamps: true })).toBe(
    '        1024           256     float     sum      -1    27.50    0.04    0.07       0    10.00    30.00    30.00    40.82' +
      '    27.50    0.04    0.07       0    10.00    30.00    30.00    40.82  2026-01-31 23:59:59',
  );
});

test('a report has lines after the table', () => {
  const good = { outOfBounds: 0, averageBusBw: 123.456789, minBusBw: undefined };
  expect(footerLines(good, 'all_reduce_perf')).toEqual([
    '# Out of bounds values : 0 OK',
    '# Avg bus bandwidth    : 123.457 ',
    '#',
    '# Collective test concluded: all_reduce_perf',
    '#',
    '',
  ]);
  expect(footerLines({ outOfBounds: 2, averageBusBw: 1234567, minBusBw: 2e6 }, 'x_perf').slice(0, 2)).toEqual([
    '# Out of bounds values : 2 FAILED',
    '# Avg bus bandwidth    : 1.23457e+06 FAILED',
  ]);
  // A tenth less than the requested bandwidth passes.
  const little = { outOfBounds: 0, averageBusBw: 0.0000123456789, minBusBw: 0.0000137 };
  expect(footerLines(little, 'x_perf')[1]).toBe('# Avg bus bandwidth    : 1.23457e-05 OK');
  expect(footerLines(good, 'x_perf', 'unhandled system error').at(-1)).toBe('# error: unhandled system error');
});

test('numbers are rounded like C, ties to even', () => {
  expect([0.125, 0.375, 2.675, -0.125, 1e22].map((value) => fixed(value, 2))).toEqual([
    '0.12',
    '0.38',
    '2.67',
    '-0.12',
    '10000000000000000000000.00',
  ]);
  expect([0.5, 1.5, 2.5].map((value) => fixed(value, 0))).toEqual(['0', '2', '2']);
  expect([Number.NaN, Infinity].map((value) => fixed(value, 2))).toEqual(['nan', 'inf']);
  expect([12500000, 0].map((value) => exponential(value, 1))).toEqual(['1.2e+07', '0.0e+00']);
  expect([0, 100000, 1e6, 0.0001, 0.00001, 123456.5, 0.1].map(general)).toEqual([
    '0',
    '100000',
    '1e+06',
    '0.0001',
    '1e-05',
    '123456',
    '0.1',
  ]);
});

test('percentiles use the nearest rank', () => {
  const times = Array.from({ length: 200 }, (_, i) => 200 - i);
  expect(iterationStats(times)).toMatchObject({ min: 1, max: 200, avg: 100.5, p50: 101, p95: 190, p99: 198 });
  expect(iterationStats([7])).toEqual({ min: 7, max: 7, avg: 7, p50: 7, p95: 7, p99: 7, stdev: 0, cv: 0 });
});

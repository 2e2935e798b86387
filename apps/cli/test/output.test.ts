import { buildReport, type Finding, type Severity } from '@nccl-ts/findings';
import pc from 'picocolors';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NcclError } from '@nccl-ts/core';
import { checkReportText } from '../src/check/check-report.ts';
import { colorsFor, markedColors, noColors } from '../src/output/colors.ts';
import { explainHint } from '../src/error-text.ts';
import { ModuleError } from '../src/module/module-error.ts';
import { printable } from '../src/output/print.ts';
import { showProgress } from '../src/output/progress.ts';
import type { RankResult } from '../src/launch/run-kernel.ts';
import { comparedText } from '../src/run/compared-text.ts';
import { reportJson, reportText, type RunReport } from '../src/run/run-report.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('progress is shown only on terminals, and is removed at the end', () => {
  vi.useFakeTimers();
  for (const isTTY of [true, false]) {
    const written: string[] = [];
    const stream = { isTTY, write: (text: string): boolean => written.push(text) > 0 };
    const quick = showProgress('quick', stream);
    vi.advanceTimersByTime(400);
    quick.done();
    expect(written).toEqual([]);
    const slow = showProgress('slow', stream);
    vi.advanceTimersByTime(1200);
    slow.done();
    slow[Symbol.dispose]();
    expect(written.join('')).toBe(isTTY ? '\r\u001b[2Kslow ... 0.5 s\r\u001b[2Kslow ... 1.0 s\r\u001b[2K' : '');
  }
});

test('progress may show a fraction', () => {
  vi.useFakeTimers();
  const written: string[] = [];
  let done = 0;
  const stream = { isTTY: true, write: (text: string): boolean => written.push(text) > 0 };
  using progress = showProgress(() => `schedule ${done} of 2`, stream);
  vi.advanceTimersByTime(500);
  done = 1;
  vi.advanceTimersByTime(500);
  progress.done();
  expect(written.join('')).toBe('\r\u001b[2Kschedule 0 of 2 ... 0.5 s\r\u001b[2Kschedule 1 of 2 ... 1.0 s\r\u001b[2K');
});

test('the report of a check colours important words', () => {
  const proves = { kind: 'this schedule', strategy: 'late', seed: 1 } as const;
  const finding = (severity: Severity): Finding => ({
    kind: 'misuse',
    severity,
    message: `misuse: a ${severity}`,
    labels: [],
    missing: [],
    certainty: 'this schedule',
    schedule: { strategy: 'late', seed: 1 },
  });
  const textOf = (findings: readonly Finding[]): string => {
    const report = buildReport({ runs: [{ findings, accesses: 1 }], proves });
    const values = { arg: new Map<string, string>(), fill: new Map(), type: new Map(), require: {} };
    const options = { ranks: 1, grid: 1, block: 1, bytes: 65536, ...values };
    const checked = {
      file: 'a.ts',
      program: 'host',
      name: 'host',
      options,
      rankCounts: [1],
      report,
      accepted: [],
      silenced: [],
      sequences: [],
      milliseconds: 1234,
    } as const;
    return printable(checkReportText(checked, markedColors));
  };
  const colors = pc.createColors(true);
  const found = textOf((['error', 'model', 'note'] as const).map(finding));
  // As in a compile error: bold red, yellow and cyan, and the message in bold.
  expect(found).toContain('\n\n\u001b[1;31merror[misuse]\u001b[0m\u001b[1m: misuse: a error\u001b[0m\n');
  expect(found).toContain('\n\n\u001b[1;33mwarning[misuse]\u001b[0m\u001b[1m: misuse: a model\u001b[0m\n');
  expect(found).toContain('\n\n\u001b[1;36mnote[misuse]\u001b[0m\u001b[1m: misuse: a note\u001b[0m\n');
  expect(found).toContain(`\n\n${colors.red('misuse:')} 1 error, 1 warning, 1 note, `);
  expect(textOf([])).toContain(
    `${colors.bold('host')} on 1 rank: checked in 1.2 s\n\n${colors.green('clean:')} no findings`,
  );
});

test('an error has a hint for more about its code', () => {
  const compile = new NcclError('NCCLTS_COMPILE', "kernel 'k' has 2 errors\n\nerror[K1005]: ...\n\nerror[K2001]: ...");
  expect(explainHint(compile)).toBe('for details, run nccl-ts explain K1005');
  expect(explainHint(new ModuleError('a.ts', new NcclError('NCCLTS_CLOSED', 'the window was deregistered')))).toBe(
    'for details, run nccl-ts explain NCCLTS_CLOSED',
  );
  expect(explainHint(new Error('K1005'))).toBeUndefined();
});

test('output has no colours without a terminal', () => {
  expect(colorsFor({ isTTY: false }).red('x')).toBe('x');
  // A stream that is not a terminal has no such property.
  expect(colorsFor({}).red('x')).toBe('x');
});

test("run shows a host program's result that contains itself", () => {
  const circle: Record<string, unknown> = { big: 1n, twice: [{ same: 1 }, { same: 1 }] };
  circle['self'] = circle;
  circle['inner'] = { back: circle };
  const report: RunReport = {
    program: 'host',
    name: 'host',
    ranOn: { backend: 'cuda', devices: [0] },
    ranks: 1,
    lsaSize: 1,
    grid: 1,
    block: 1,
    results: [{ rank: 0, milliseconds: 1, value: circle, printed: [], windows: {} }],
  };
  const [head, line] = reportText(report, 2, noColors).split('\n');
  expect(head).toBe('host on 1 rank, CUDA on 1 GPU: done in 1.0 ms');
  expect(line).toBe(
    '  rank 0: {"big":"1","twice":[{"same":1},{"same":1}],"self":"[circular]","inner":{"back":"[circular]"}}',
  );
  expect(JSON.parse(reportJson(report, 2))).toMatchObject({ results: [{ value: { self: '[circular]' } }] });
});

describe('run says what it compared', () => {
  const rankResult = (rank: number, compared?: RankResult['compared']): RankResult => ({
    rank,
    milliseconds: 1,
    printed: [],
    windows: {},
    ...(compared === undefined ? {} : { compared }),
  });

  test('by allocation, once for elements that were compared again', () => {
    const out = (rank: number, from: number, count: number) => ({ rank, allocation: 'out', from, count });
    const sums = { rank: 1, allocation: 'sums', from: 0, count: 4 };
    expect(
      comparedText([
        rankResult(0, [out(0, 0, 4), out(0, 4, 4), out(0, 0, 4)]),
        rankResult(1, [out(1, 0, 8), sums]),
        rankResult(2, [out(2, 0, 8)]),
      ]),
    ).toBe('results as expected (out: 3 ranks x 8, sums: 1 rank x 4)');
  });

  test('and adds up elements of ranks that have different numbers of them', () => {
    const out = (rank: number, count: number) => ({ rank, allocation: 'out', from: 0, count });
    expect(comparedText([rankResult(0, [out(0, 8)]), rankResult(1, [out(1, 16)])])).toBe(
      'results as expected (out: 24 elements of 2 ranks)',
    );
  });

  test('or that nothing was, and nothing of the kind about a program without a harness', () => {
    expect(comparedText([rankResult(0, []), rankResult(1, [])])).toBe('no expectation: nothing was compared');
    expect(comparedText([rankResult(0), rankResult(1)])).toBeUndefined();
  });

  test('or that a host program returned nothing', () => {
    const report: RunReport = {
      program: 'host',
      name: 'host',
      ranOn: { backend: 'sim', seed: 1 },
      ranks: 1,
      lsaSize: 1,
      grid: 1,
      block: 1,
      results: [rankResult(0)],
    };
    const silent = '  host returned nothing, so there are no results to show';
    expect(reportText(report, 2, noColors).split('\n')[1]).toBe(silent);
    const printed = { ...report, results: [{ ...rankResult(0), printed: ['hello'] }] };
    expect(reportText(printed, 2, noColors)).not.toContain(silent);
  });
});

test('run prints a short report for many ranks, and for every kind of value', () => {
  const report: RunReport = {
    program: 'host',
    name: 'host',
    ranOn: { backend: 'sim', seed: 1 },
    ranks: 20,
    lsaSize: 20,
    grid: 1,
    block: 1,
    results: Array.from({ length: 20 }, (_, rank) => ({
      rank,
      milliseconds: rank,
      value: [new Uint8Array(9), 'text', { big: 1n, nan: Number.NaN }, undefined, null][rank % 5],
      printed: [],
      windows: {},
    })),
  };
  const lines = reportText(report, 2, noColors).split('\n');
  expect(lines).toHaveLength(1 + 16 - 3 + 1);
  expect(lines.slice(0, 5)).toEqual([
    'host on 20 ranks: done in 19.0 ms',
    '  rank 0: [0, 0, ...] (9 elements)',
    '  rank 1: text',
    '  rank 2: {"big":"1","nan":"NaN"}',
    '  rank 4: null',
  ]);
  expect(lines.at(-1)).toBe('  ... 4 more ranks (--json shows all)');

  const elsewhere = { ...report, ranOn: { backend: 'webgpu', adapter: 'acme one', software: false } } as const;
  expect(reportText(elsewhere, 2, noColors).split('\n')[0]).toBe(
    'host on 20 ranks, WebGPU on acme one: done in 19.0 ms',
  );
});

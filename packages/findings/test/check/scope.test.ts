import {
  buildReport,
  concludeCheck,
  exitCodeOf,
  joinScopes,
  renderReport,
  renderVerdict,
  reportToJson,
  reportToSarif,
  scopeText,
  worstOfRanks,
  type CheckReport,
  type CheckedScope,
  type Finding,
  type LaunchShape,
} from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { race } from './sample.ts';

const shape = (ranks: number, ctas: number, threads: number): LaunchShape => ({ ranks, ctas, threads });
const scopeOf = (communicates: boolean, ...launches: readonly LaunchShape[]): CheckedScope =>
  joinScopes([{ launches, communicates }]);

function reportOf(scope: CheckedScope, findings: readonly Finding[] = []): CheckReport {
  return buildReport({ runs: [{ findings, accesses: 10, scope }], proves: { kind: 'all schedules', count: 1 } });
}

describe('the launches of a check', () => {
  it.each([
    [[shape(2, 4, 128)], '2 ranks x 4 CTAs x 128 threads'],
    [[shape(1, 1, 1)], '1 rank x 1 CTA x 1 thread'],
    [[shape(2, 1, 32), shape(2, 4, 128)], '2 ranks x (4 CTAs x 128 threads and 1 CTA x 32 threads)'],
    [
      [shape(2, 1, 32), shape(2, 2, 32), shape(2, 3, 32), shape(2, 4, 32)],
      '2 ranks x 4 CTAs x 32 threads (the largest of 4 sizes)',
    ],
    [[shape(4, 1, 32), shape(2, 1, 32), shape(3, 1, 32)], '2, 3 and 4 ranks x 1 CTA x 32 threads'],
    [[shape(2, 2, 32), shape(3, 3, 32)], '2 ranks x 2 CTAs x 32 threads, 3 ranks x 3 CTAs x 32 threads'],
  ])('%j are named together where they are equal', (launches, text) => {
    expect(scopeText(scopeOf(true, ...launches))).toBe(text);
  });

  it('stand in the verdict line, the JSON and the SARIF', () => {
    const report = reportOf(scopeOf(true, shape(2, 4, 128)));
    expect(renderVerdict(report)).toContain('10 accesses checked on 2 ranks x 4 CTAs x 128 threads;');
    const scope = { launches: [shape(2, 4, 128)], communicates: true };
    expect(reportToJson(report).scope).toEqual(scope);
    expect(reportToSarif(report).runs[0]?.properties).toMatchObject({ scope });
  });
});

describe('the end of a check', () => {
  const end = { isLocal: false, isCut: false };

  it('is an error if no kernel was launched', () => {
    const report = reportOf(scopeOf(false));
    expect(() => concludeCheck(report, end)).toThrow(
      expect.objectContaining({
        code: 'NCCLTS_NO_LAUNCH',
        message: 'cannot check the program because it launched no kernel; launch one on each rank with comm.launch.',
      }),
    );
    // Later launches may have been cut off, and an error stays an error.
    expect(concludeCheck(report, { ...end, isCut: true })).toBe(report);
    const wrong = reportOf(scopeOf(false), [race(0, 1)]);
    expect(concludeCheck(wrong, end)).toBe(wrong);
  });

  it('is incomplete if several ranks ran and nothing happened between them', () => {
    const alone = concludeCheck(reportOf(scopeOf(false, shape(2, 1, 32))), end);
    expect(alone.verdict).toBe('incomplete');
    expect(exitCodeOf(alone)).toBe(3);
    expect(renderReport(alone)).toContain(
      'the check is not complete: no rank touched the memory of another and no wait was reached',
    );
  });

  it.each([
    ['the ranks are meant to work alone', scopeOf(false, shape(2, 1, 32)), true],
    ['there is a single rank', scopeOf(false, shape(1, 1, 32)), false],
    ['a rank has reached another', scopeOf(true, shape(2, 1, 32)), false],
  ])('keeps its verdict if %s', (_, scope, isLocal) => {
    const report = reportOf(scope);
    expect(concludeCheck(report, { ...end, isLocal })).toBe(report);
    expect(report.verdict).toBe('clean');
  });

  it('keeps an error of ranks that did not reach each other', () => {
    expect(concludeCheck(reportOf(scopeOf(false, shape(2, 1, 32)), [race(0, 1)]), end).verdict).toBe('race');
  });
});

describe('several numbers of ranks', () => {
  const clean = (ranks: number): CheckReport => reportOf(scopeOf(true, shape(ranks, 1, 32)));
  const racy = (ranks: number): CheckReport => reportOf(scopeOf(true, shape(ranks, 1, 32)), [race(0, 1)]);

  it('have the report of the worst, and the outcome of each', () => {
    const report = worstOfRanks([
      { ranks: 2, report: clean(2) },
      { ranks: 3, report: racy(3) },
      { ranks: 4, why: 'setup takes an even number of ranks' },
    ]);
    expect(report.verdict).toBe('race');
    const text = renderReport(report);
    expect(text).toContain('\n  2 ranks: clean; this holds for every schedule');
    expect(text).toContain('\n  3 ranks: race; every schedule');
    expect(text).toContain('\n  4 ranks: not checked, because setup takes an even number of ranks\n');
    expect(renderVerdict(report)).toContain('on 3 ranks x 1 CTA x 32 threads;');
    const { byRanks } = reportToJson(report);
    expect(byRanks).toMatchObject([
      { ranks: 2, verdict: 'clean' },
      { ranks: 3, verdict: 'race' },
      { ranks: 4, why: 'setup takes an even number of ranks' },
    ]);
    expect(reportToSarif(report).runs[0]?.properties).toMatchObject({ byRanks });
  });

  it('are named together if all are clean', () => {
    const report = worstOfRanks([2, 3, 4].map((ranks) => ({ ranks, report: clean(ranks) })));
    expect(renderVerdict(report)).toContain('30 accesses checked on 2, 3 and 4 ranks x 1 CTA x 32 threads;');
  });

  it('are incomplete if one is and none has an error', () => {
    const end = { isLocal: false, isCut: false };
    const alone = concludeCheck(reportOf(scopeOf(false, shape(3, 1, 32))), end);
    const report = worstOfRanks([
      { ranks: 2, report: clean(2) },
      { ranks: 3, report: alone },
    ]);
    expect(report.verdict).toBe('incomplete');
    expect(renderVerdict(report)).toContain('on 3 ranks x');
  });

  it('change nothing if there is only one', () => {
    const report = clean(2);
    expect(worstOfRanks([{ ranks: 2, report }])).toBe(report);
  });
});

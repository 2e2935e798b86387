import { buildReport, type Finding, type QuotedLocation } from '@nccl-ts/findings';
import { describe, expect, test } from 'vitest';
import { acceptFindings } from '../src/check/accept-findings.ts';
import { acceptedBy, acceptRule } from '../src/check/accept-rule.ts';

function place(file: string, line: number, inlinedAt?: QuotedLocation): QuotedLocation {
  return {
    span: { source: 0, start: 0, end: 1 },
    source: file,
    line,
    column: 1,
    text: '',
    location: { file, line, column: 1 },
    quote: { text: '', from: 'author', line, start: 0, end: 1 },
    ...(inlinedAt === undefined ? {} : { inlinedAt }),
  };
}

function race(at: QuotedLocation): Finding {
  return {
    kind: 'race',
    severity: 'error',
    message: 'a race',
    labels: [{ agent: 'thread', does: 'store', rank: 0, place: at }],
    missing: [],
    certainty: 'this schedule',
    schedule: { strategy: 'random', seed: 1 },
  };
}

const finding = race(place('/src/csrc/barrier.cuh', 12, place('/src/kernel.cu', 40)));
const rules = (text: string): ReturnType<typeof acceptRule> => acceptRule(text);

describe('a finding', () => {
  test.each(['barrier.cuh:12:race', 'csrc/barrier.cuh:12:race', './csrc/barrier.cuh:12:race', 'kernel.cu:40:race'])(
    'is accepted by --accept %s',
    (text) => {
      expect(acceptedBy(finding, rules(text), () => undefined)).toBe(`--accept ${text}`);
    },
  );

  test.each(['barrier.cuh:13:race', 'ier.cuh:12:race', 'barrier.cuh:12:deadlock', 'other.cuh:12:race'])(
    'is not accepted by --accept %s',
    (text) => {
      expect(acceptedBy(finding, rules(text), () => undefined)).toBeUndefined();
    },
  );

  test.each(['barrier.cuh', 'barrier.cuh:x:race', 'barrier.cuh:12'])(
    'cannot be accepted by the malformed rule %s',
    (text) => {
      expect(() => rules(text)).toThrow('It must be FILE:LINE:CODE');
    },
  );

  const source = (line: number, text: string) => (): string =>
    ['', ...Array<string>(60).fill('x = 1;')].with(line, text).slice(1).join('\n');

  test.each([
    [12, 'x = 1; // nccl-ts: accept race because volatile', true],
    [11, '  // nccl-ts: accept race because volatile', true],
    [11, 'x = 1; // nccl-ts: accept race because volatile', false],
    [12, 'x = 1; // nccl-ts: accept race', false],
    [12, 'x = 1; // nccl-ts: accept deadlock because volatile', false],
    [13, '// nccl-ts: accept race because volatile', false],
  ])('is accepted by a comment, with its reason: line %i, %s: %s', (line, text, isAccepted) => {
    const by = acceptedBy(race(place('a.cu', 12)), [], source(line, text));
    expect(by).toBe(isAccepted ? `the comment at a.cu:${line}: volatile` : undefined);
  });

  test('a finding that is accepted does not count in the verdict, but is listed', () => {
    const report = buildReport({
      runs: [{ findings: [finding], seen: [1], accesses: 4 }],
      proves: { kind: 'this schedule', strategy: 'random', seed: 1 },
    });
    expect(report.verdict).toBe('race');
    const { report: left, silenced } = acceptFindings(report, [], () => 'a reason');
    expect(left.verdict).toBe('clean');
    expect(silenced).toEqual([{ finding, by: 'a reason' }]);
  });
});

import {
  buildReport,
  exitCodeOf,
  findingKey,
  ReportBuilder,
  SpreadOf,
  type CheckReport,
  type Finding,
  type FindingKind,
  type Proof,
} from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { label, load, place, placeInBarrier, race, store } from './sample.ts';
import { samples } from './samples.ts';

const proves: Proof = { kind: 'schedules', count: 2, strategy: 'random', seed: 1 };

function reportOf(
  findings: readonly Finding[],
  more: { readonly strict?: boolean; readonly proves?: Proof } = {},
): CheckReport {
  return buildReport({ runs: [{ findings, accesses: 10 }], proves, ...more });
}

const kindsWorstFirst: readonly FindingKind[] = [
  'race',
  'out-of-bounds',
  'misuse',
  'fault',
  'uninitialised',
  'deadlock',
  'proxy',
  'leftover',
  'incomplete',
];

describe('a report', () => {
  it('lists each pair of source locations once, with all participants', () => {
    const runs = [
      { findings: [race(0, 1), race(1, 3)], accesses: 100 },
      // The other access was noticed first.
      { findings: [{ ...race(2, 0), labels: race(2, 0).labels.toReversed() }], accesses: 11 },
    ];
    const report = buildReport({ runs, proves });
    expect(report.findings).toEqual([race(0, 1)]);
    expect(report.seen).toEqual([3]);
    expect(report.accesses).toBe(111);
    const [load, store] = report.spread[0]?.labels ?? [];
    expect(load).toEqual({ ranks: [1, 2, 3], ctas: [{ x: 0, y: 0, z: 0 }], threads: [0, 1, 3] });
    expect(store?.ranks).toEqual([0, 1, 2]);
    expect(report.spread[0]?.bytes).toEqual({ ranks: [1, 2, 3], first: 0, end: 16 });
  });

  it('merges the extents of sightings, without a finding for each', () => {
    const first = race(0, 1);
    const spread = new SpreadOf(first);
    spread.add(first);
    spread.seeLabel(0, { rank: 3, blockIdx: { x: 2, y: 0, z: 0 }, thread: 9 });
    spread.seeBytes({ place: { kind: 'window', window: 'window 0', rank: 3, offset: 100 }, bytes: 8 });
    // A word of another window.
    spread.seeBytes({ place: { kind: 'window', window: 'window 1', rank: 0, offset: 900 }, bytes: 8 });
    const runs = [{ findings: [first], seen: [2], spread: [spread.value()], accesses: 1 }];
    const [own] = buildReport({ runs, proves }).spread;
    expect(own?.labels[0]).toEqual({
      ranks: [1, 3],
      ctas: [
        { x: 0, y: 0, z: 0 },
        { x: 2, y: 0, z: 0 },
      ],
      threads: [1, 9],
    });
    expect(own?.bytes).toEqual({ ranks: [1, 3], first: 4, end: 108 });
  });

  it('separates findings at other locations or of other kinds', () => {
    const other = race(0, 0, { labels: [label('load', place(store)), label('store', place(store))] });
    const atomic = race(0, 0, { labels: [label('atomic add', place(load)), label('store', place(store))] });
    const report = reportOf([race(0, 0), other, atomic]);
    expect(report.findings).toHaveLength(3);
    expect(new Set(report.findings.map(findingKey)).size).toBe(3);
  });

  it('separates two rules that one statement breaks, and merges one rule broken at two locations', () => {
    const { misuse } = samples;
    expect(reportOf([misuse, { ...misuse, message: 'another rule' }]).findings).toHaveLength(2);
    const astray = samples['out-of-bounds'];
    expect(reportOf([astray, { ...astray, message: 'store of 4 bytes at byte 4100 of window 0' }]).seen).toEqual([2]);
  });

  it('takes severity and certainty from the worst sighting, even if it came later', () => {
    const report = reportOf([
      race(0, 0, { severity: 'note' }),
      race(1, 1, { certainty: 'every schedule' }),
      race(2, 2, { severity: 'error' }),
    ]);
    expect(report.findings).toEqual([race(1, 1, { certainty: 'every schedule' })]);
  });

  it('lists the worst first, in any order of arrival', () => {
    const all = Object.values(samples);
    expect(reportOf(all.toReversed()).findings.map(({ kind }) => kind)).toEqual(kindsWorstFirst);
    expect(reportOf(all).verdict).toBe('race');
  });

  it('lists findings that every schedule has before those that one has', () => {
    const { misuse } = samples;
    const sure: Finding = { ...misuse, message: 'another rule', certainty: 'every schedule' };
    expect(reportOf([misuse, sure]).findings).toEqual([sure, misuse]);
    expect(reportOf([misuse, { ...misuse, message: 'a' }]).findings.map(({ message }) => message)).toEqual([
      misuse.message,
      'a',
    ]);
  });

  it("lists races in the author's lines before those inside called functions", () => {
    const { misuse } = samples;
    const own: Finding = { ...misuse, labels: misuse.labels.map((one) => ({ ...one, place: place(store) })) };
    const inside: Finding = {
      ...misuse,
      message: 'inside',
      labels: misuse.labels.map((one) => ({ ...one, place: placeInBarrier() })),
    };
    expect(reportOf([inside, own]).findings).toEqual([own, inside]);
  });

  it.for<readonly [FindingKind, string, 0 | 1 | 3]>([
    ['race', 'race', 1],
    ['uninitialised', 'uninitialised', 1],
    ['proxy', 'clean', 0],
    ['out-of-bounds', 'out-of-bounds', 1],
    ['misuse', 'misuse', 1],
    ['fault', 'fault', 1],
    ['deadlock', 'deadlock', 1],
    ['leftover', 'clean', 0],
    ['incomplete', 'incomplete', 3],
  ])('with only %s has the verdict %s, and the exit code %i', ([kind, verdict, code]) => {
    const report = reportOf([samples[kind]]);
    expect(report.verdict).toBe(verdict);
    expect(exitCodeOf(report)).toBe(code);
  });

  it('turns model-only notes into errors if it is strict, and nothing else', () => {
    const report = reportOf([samples.proxy, samples.leftover], { strict: true });
    expect(report.findings.map(({ severity }) => severity)).toEqual(['error', 'note']);
    expect(report.verdict).toBe('race');
  });

  it('is clean without findings, and says what it proves', () => {
    const report = reportOf([]);
    expect(report.verdict).toBe('clean');
    expect(report.proves).toEqual(proves);
    expect(exitCodeOf(report)).toBe(0);
  });

  it('is never clean if a limit was reached', () => {
    const bound: Proof = { kind: 'nothing', bound: '1,000 runs' };
    expect(reportOf([], { proves: bound }).verdict).toBe('incomplete');
    expect(reportOf([samples.leftover], { proves: bound }).verdict).toBe('incomplete');
    // A claim about all schedules is false if one of them was cut off.
    const cut = reportOf([samples.incomplete], { proves: { kind: 'all schedules', count: 7 } });
    expect(cut.verdict).toBe('incomplete');
    expect(cut.proves).toEqual({ kind: 'nothing', bound: 'more than 1,000,000 states' });
    expect(reportOf([samples.incomplete, race(0, 0)]).verdict).toBe('race');
  });

  it('merged from several reports equals the report of all their runs', () => {
    const first = reportOf([race(0, 0), race(1, 1), samples.misuse]);
    const second = reportOf([{ ...race(2, 2), labels: race(2, 2).labels.toReversed() }, samples.misuse]);
    const all = buildReport({
      runs: [
        { findings: [race(0, 0), race(1, 1), samples.misuse], accesses: 10 },
        { findings: [race(2, 2), samples.misuse], accesses: 10 },
      ],
      proves,
    });
    expect(buildReport({ runs: [first, second], proves })).toEqual(all);
  });

  it('can be made at any time, more than once', () => {
    const builder = new ReportBuilder();
    builder.add({ findings: [race(0, 0)], accesses: 1 });
    const early = builder.report(proves);
    builder.add({ findings: [race(1, 1)], accesses: 1 });
    expect(early.seen).toEqual([1]);
    expect(builder.report(proves).seen).toEqual([2]);
  });

  it('is deeply frozen', () => {
    const report = reportOf([race(0, 0)]);
    expect(Object.isFrozen(report.findings)).toBe(true);
    expect(Object.isFrozen(report.spread[0]?.labels[0]?.ranks)).toBe(true);
    expect(Object.isFrozen(report.findings[0]?.missing[0]?.at)).toBe(true);
  });
});

import {
  buildReport,
  renderFinding,
  renderReport,
  renderVerdict,
  type CheckReport,
  type FindingKind,
  type Proof,
  type ScheduleId,
} from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { label, race, schedule } from './sample.ts';
import { samples } from './samples.ts';

const kinds: readonly FindingKind[] = [
  'race',
  'uninitialised',
  'proxy',
  'out-of-bounds',
  'misuse',
  'fault',
  'deadlock',
  'leftover',
  'incomplete',
];

const seeds: Proof = { kind: 'schedules', count: 1000, strategy: 'pct', seed: 1 };

describe('a finding as text', () => {
  it.for(kinds)('the text of a finding of kind %s equals its snapshot', async (kind) => {
    await expect(`${renderFinding(samples[kind])}\n`).toMatchFileSnapshot(`../snapshots/finding-${kind}.txt`);
  });

  it('distinguishes launches of one rank, but not those of different ranks', () => {
    const [first, second] = race(0, 0).labels;
    if (first === undefined || second === undefined) throw new Error('a race has two labels');
    const textOf = (rank: number): string =>
      renderFinding(
        race(0, 0, {
          labels: [
            { ...first, rank: 1 },
            { ...second, rank, launch: 5 },
          ],
        }),
      );
    expect(textOf(2)).not.toContain('launch');
    expect(textOf(1)).toMatch(
      /plain store by rank 1, CTA 0, thread 0, launch 5\n.*plain load by rank 1, CTA 0, thread 0, launch 0\n/s,
    );
  });

  it.for<readonly [ScheduleId, string]>([
    [{ strategy: 'late', seed: 2 }, 'strategy late, seed 2'],
    [{ strategy: 'late', seed: 2, choices: 'l:1.2' }, 'strategy late, seed 2, or choices l:1.2'],
    [{ strategy: 'exhaustive', seed: 0 }, 'strategy exhaustive'],
  ])('names the schedule: %o', ([own, text]) => {
    expect(
      renderFinding(race(0, 0, { schedule: own }))
        .split('\n')
        .at(-1),
    ).toBe(`  = replay: ${text}`);
  });

  it('puts a misuse before the races, which may follow from it', () => {
    const report = buildReport({ runs: [{ findings: [race(0, 1), samples.misuse], accesses: 10 }], proves: seeds });
    expect(report.findings.map(({ kind }) => kind)).toEqual(['race', 'misuse']);
    const kindsShown = [...renderReport(report).matchAll(/^error\[([a-z-]+)\]/gm)].map(([, kind]) => kind);
    expect(kindsShown).toEqual(['misuse', 'race']);
  });

  it('names the launches of two ranks that race', () => {
    const [first, second] = race(0, 0).labels;
    if (first === undefined || second === undefined) throw new Error('a race has two labels');
    const textOf = (purpose: string): string =>
      renderFinding(
        race(0, 0, {
          labels: [
            { ...first, purpose: 'launch 2 of 3' },
            { ...second, purpose },
          ],
        }),
      );
    expect(textOf('launch 1 of 3')).toMatch(
      /plain store by rank 0, CTA 0, thread 0, launch 1 of 3\n.*plain load by rank 1, CTA 0, thread 0, launch 2 of 3\n/s,
    );
    expect(textOf('launch 1 of 3')).toContain(
      '  = launches: launch 2 of 3 on rank 1 races with launch 1 of 3 on rank 0: a stream orders the launches of its own rank only, and a peer may be behind',
    );
    expect(textOf('launch 2 of 3')).not.toContain('launch');
  });

  it('has the sequence of launches', () => {
    const text = renderFinding(race(0, 0, { sequence: 'repeat: 3 consecutive launches on one stream' }));
    expect(text).toContain('\n  = kernel: shift\n  = sequence: repeat: 3 consecutive launches on one stream\n');
  });

  it('works if the source text is unknown', () => {
    const text = renderFinding(
      race(0, 0, { labels: [label('load', undefined), label('store', undefined, { rank: 1 })] }),
    );
    expect(text).toContain(
      '\n  = note: plain load by rank 0, CTA 0, thread 0\n  = note: plain store by rank 1, CTA 0, thread 0\n',
    );
  });
});

describe('a finding in colour', () => {
  it('has the same text as without colour', () => {
    const text = renderFinding(samples.race, undefined, { colour: true });
    expect(text).toContain('\u001b[1;31merror[race]\u001b[0m');
    expect(text).toContain('\u001b[1;34m  =\u001b[0m \u001b[1mhelp\u001b[0m: ');
    // eslint-disable-next-line no-control-regex -- those are what it is about
    expect(text.replaceAll(/\u001b\[[\d;]*m/g, '')).toBe(renderFinding(samples.race));
  });
});

describe('a report as text', () => {
  it('merges ranks and threads at the same source locations', async () => {
    const ranks = [0, 1, 2, 3];
    const findings = ranks.flatMap((rank) => Array.from({ length: 32 }, (_, thread) => race(rank, thread)));
    const report = buildReport({ runs: [{ findings, accesses: 1234567 }], proves: seeds });
    await expect(`${renderReport(report)}\n`).toMatchFileSnapshot('../snapshots/report-folded.txt');
  });

  it('has findings of every severity', async () => {
    const findings = [samples.leftover, samples.proxy, samples.uninitialised];
    const report = buildReport({
      runs: [{ findings, accesses: 1 }],
      proves: { kind: 'this schedule', ...schedule },
    });
    await expect(`${renderReport(report)}\n`).toMatchFileSnapshot('../snapshots/report-severities.txt');
  });

  it('counts the findings that it omits', () => {
    const findings = Array.from({ length: 22 }, (_, i) => ({ ...samples.misuse, message: `rule ${i}` }));
    const text = renderReport(buildReport({ runs: [{ findings, accesses: 1 }], proves: seeds }));
    expect(text.match(/^error\[misuse\]/gm)).toHaveLength(20);
    expect(text).toContain('\n\n2 more findings\n\nmisuse: 22 errors, 1 access checked;');
  });

  it.for<readonly [Proof, string]>([
    [
      { kind: 'this schedule', strategy: 'late', seed: 3 },
      'clean: no findings, 5 accesses checked; one schedule was run (strategy late, seed 3), others may differ',
    ],
    [
      seeds,
      'clean: no findings, 5 accesses checked; 1,000 schedules were run (strategy pct, seeds from 1 on), others may differ',
    ],
    [
      { kind: 'all schedules', count: 43 },
      'clean: no findings, 5 accesses checked; this holds for every schedule of this input (43 were run, and the others are equivalent to ' +
        'one of them)',
    ],
    [
      {
        kind: 'portfolio',
        parts: [
          { what: 'late', count: 4 },
          { what: 'pct', count: 4 },
          { what: 'random', count: 4 },
        ],
        seed: 1,
      },
      'clean: no findings, 5 accesses checked; 12 schedules of 3 strategies were run (seed 1), others may differ',
    ],
    [
      { kind: 'portfolio', parts: [{ what: 'late', count: 1 }], seed: 2 },
      'clean: no findings, 5 accesses checked; 1 schedule of 1 strategy was run (seed 2), others may differ',
    ],
    [
      { kind: 'nothing', bound: '10 runs' },
      'incomplete: no findings, 5 accesses checked; the check is not complete: 10 runs',
    ],
  ])('describes what it proves: %o', ([proves, text]) => {
    const report: CheckReport = buildReport({ runs: [{ findings: [], accesses: 5 }], proves });
    expect(renderVerdict(report)).toBe(text);
    expect(renderReport(report)).toBe(text);
  });
});

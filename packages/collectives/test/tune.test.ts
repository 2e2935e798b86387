import {
  defaultSelection,
  parseSelection,
  select,
  tunedRules,
  type Algorithm,
  type CollectiveName,
  type SelectionRule,
  type TuneMeasurement,
} from '@nccl-ts/collectives';
import { describe, expect, test } from 'vitest';

/** Not a backend of this library, whose selection could change with new measurements. */
const place = { backend: 'other', nRanks: 8 };

/**
 * Rows of a size in KiB and the median of each algorithm. Some rounds are off, as with real noise.
 */
function measured(
  collective: CollectiveName,
  rows: readonly (readonly [kib: number, times: Partial<Record<Algorithm, number>>])[],
): readonly TuneMeasurement[] {
  const names: readonly Algorithm[] = ['direct', 'twoShot', 'oneShot', 'll', 'ring'];
  return rows.flatMap(([kib, times]) =>
    names.flatMap((algorithm) => {
      const time = times[algorithm];
      if (time === undefined) return [];
      return [{ collective, algorithm, bytes: kib * 1024, times: [time * 9, time, time * 0.5] }];
    }),
  );
}

function rule(collective: CollectiveName, algorithm: Algorithm, kib: number): SelectionRule {
  return { collective, algorithm, backend: 'other', minRanks: 8, maxRanks: 8, maxBytes: kib * 1024 };
}

describe('rules of measurements', () => {
  test('merge neighbours with the same winner, in ascending size', () => {
    const rows = measured('allReduce', [
      [1024, { twoShot: 100, oneShot: 300, ll: 400, ring: 80 }],
      [1, { twoShot: 10, oneShot: 8, ll: 5 }],
      [4, { twoShot: 10, oneShot: 8, ll: 6 }],
      [16, { twoShot: 12, oneShot: 9, ll: 12 }],
      [64, { twoShot: 14, oneShot: 13, ll: 40 }],
      [256, { twoShot: 30, oneShot: 60, ll: 99, ring: 60 }],
    ]);
    expect(tunedRules(place, rows)).toEqual([
      rule('allReduce', 'll', 4),
      rule('allReduce', 'oneShot', 64),
      rule('allReduce', 'twoShot', 256),
      rule('allReduce', 'ring', 1024),
    ]);
  });

  test('do not exist if no algorithm is faster by the margin', () => {
    const otherwise = [
      { collective: 'allReduce', algorithm: 'oneShot', maxBytes: 1 << 16 } as const,
      ...defaultSelection,
    ];
    const rows = measured('allReduce', [
      [64, { oneShot: 100, twoShot: 95.1, ring: 96 }],
      [128, { oneShot: 95.1, twoShot: 100, ring: 300 }],
    ]);
    expect(tunedRules(place, rows, { otherwise })).toEqual([]);
    expect(tunedRules(place, rows, { otherwise, margin: 0.04 })).toEqual([
      rule('allReduce', 'twoShot', 64),
      rule('allReduce', 'oneShot', 128),
    ]);
  });

  test('keep the choice until another algorithm is faster by the margin', () => {
    const rows = measured('allGather', [
      [1, { direct: 10, ring: 9 }],
      [2, { direct: 10, ring: 10.4 }],
      [4, { direct: 10, ring: 9 }],
      [8, { direct: 10, ring: 11 }],
    ]);
    expect(tunedRules(place, rows)).toEqual([rule('allGather', 'ring', 4)]);
  });

  test('ignore a median that is lower only by chance', () => {
    const times = (algorithm: Algorithm, each: readonly number[]): TuneMeasurement => ({
      collective: 'allGather',
      algorithm,
      bytes: 64,
      times: each,
    });
    const direct = times('direct', [10, 11, 30, 31, 32]);
    // It is faster in three rounds of five, and its median is 10.
    expect(tunedRules(place, [direct, times('ring', [40, 41, 10, 9, 10])])).toEqual([]);
    expect(tunedRules(place, [direct, times('ring', [40, 10, 10, 9, 10])])).toHaveLength(1);
  });

  test('include the earlier choices that a rule relies on', () => {
    const rows = [
      ...measured('broadcast', [
        [1, { twoShot: 10, ring: 20 }],
        [2, { twoShot: 20, ring: 10 }],
      ]),
      ...measured('reduceScatter', [[1, { direct: 10, ring: 20 }]]),
    ];
    const rules = tunedRules(place, rows);
    expect(rules).toEqual([rule('broadcast', 'twoShot', 1), rule('broadcast', 'ring', 2)]);
    const chosen = [512, 1024, 1025, 2048, 2049].map((count) => {
      const query = { collective: 'broadcast', element: 'u8', count, lsaSize: 8, op: undefined, ...place } as const;
      return select(query, [...rules, ...defaultSelection]).algorithm;
    });
    expect(chosen).toEqual(['twoShot', 'twoShot', 'ring', 'ring', 'twoShot']);
  });

  test('may replace a default that was not measured', () => {
    expect(tunedRules(place, measured('allReduce', [[1, { ll: 3, ring: 2 }]]))).toEqual([rule('allReduce', 'ring', 1)]);
  });

  test('refuse wrong measurements', () => {
    const one: TuneMeasurement = { collective: 'allReduce', algorithm: 'ring', bytes: 4, times: [1] };
    expect(() => tunedRules(place, [one, one])).toThrow(
      /allReduce by ring, 4 bytes: there are two measurements for it/,
    );
    expect(() => tunedRules(place, [{ ...one, times: [] }])).toThrow(/there must be times, and all above 0/);
    expect(() => tunedRules(place, [{ ...one, times: [0] }])).toThrow(/there must be times, and all above 0/);
    expect(() => tunedRules(place, [one], { margin: 1 })).toThrow(/margin must be at least 0 and less than 1; given 1/);
  });
});

describe('rules in JSON', () => {
  test('are parsed as they were written', () => {
    const rules = [rule('allReduce', 'll', 4), { collective: 'scatter', algorithm: 'direct', ctas: 4 }];
    expect(parseSelection(JSON.stringify(rules))).toEqual(rules);
    expect(parseSelection(JSON.stringify(defaultSelection))).toEqual(defaultSelection);
    expect(parseSelection('[]')).toEqual([]);
  });

  test.for<readonly [string, RegExp]>([
    ['[', /the text is not JSON/],
    ['{}', /must be a list of rules/],
    ['[1]', /rule 1 of 1: it must be an object; given 1/],
    ['[{"collective":"allReduce","algorithm":"ring","nvlink":1}]', /nvlink must be true or false; given 1/],
    ['[{"collective":"allReduce","algorithm":"ring","measured":1}]', /measured must be a text; given 1/],
    ['[{"collective":"allReduce","algorithm":"ring"},{}]', /rule 2 of 2: collective must be one of allReduce, .*given/],
    ['[{"collective":"allReduce","algorithm":"tree"}]', /algorithm must be one of direct, .*given "tree"/],
    [
      '[{"collective":"allToAll","algorithm":"ring"}]',
      /rule 1 of 1: allToAll has direct, ll, ll128, hierarchical, but no ring/,
    ],
    [
      '[{"collective":"allReduce","algorithm":"ring","maxbytes":1}]',
      /there is no member maxbytes; there is collective/,
    ],
    [
      '[{"collective":"allReduce","algorithm":"ring","maxBytes":"1K"}]',
      /maxBytes must be an integer of 0 or more; giv/,
    ],
    [
      '[{"collective":"allReduce","algorithm":"ring","minRanks":0}]',
      /minRanks must be an integer of 1 or more; given 0/,
    ],
    ['[{"collective":"allReduce","algorithm":"ring","backend":1}]', /backend must be the name of one; given 1/],
  ])('fail for %s', ([text, message]) => {
    expect(() => parseSelection(text)).toThrow(message);
  });
});

import { expect, inject, test } from 'vitest';
import { generateBulk, type BulkProgram } from '../src/bulk-program.ts';
import { bulkText } from '../src/bulk-text.ts';
import { judge } from '../src/judge.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const seeds = [1, 2, 3, 4, 5];

test.for(quick)('a seed always gives the same program with bulk copies, and another seed gives another program', () => {
  const texts = seeds.map((seed) => bulkText(generateBulk(seed)));
  expect(seeds.map((seed) => bulkText(generateBulk(seed)))).toEqual(texts);
  expect(new Set(texts).size).toBeGreaterThan(seeds.length / 2);
});

test.for(quick)(
  'the graph engine finds that a copy reads what an earlier copy of its thread may still write',
  async () => {
    const program: BulkProgram = {
      language: 'bulk',
      steps: [
        [
          { kind: 'copyIn', from: 1, to: 1 },
          { kind: 'copyOut', from: 1, to: 0 },
        ],
        [],
      ],
    };
    const { disagreements, observations } = await judge(program, { schedules: 1, bound: 50 });
    expect(disagreements).toEqual([]);
    expect(observations.map(({ verdict }) => verdict)).toEqual(observations.map(() => 'race'));
  },
);

test.for(quick)('two copies that race do not race with what hosts have written before their kernels', async () => {
  const program: BulkProgram = {
    language: 'bulk',
    steps: [
      [{ kind: 'copyOut', from: 0, to: 0 }, { kind: 'commit' }, { kind: 'waitGroup', read: false }],
      [{ kind: 'copyOut', from: 1, to: 0 }, { kind: 'commit' }, { kind: 'waitGroup', read: false }],
    ],
  };
  const { disagreements, observations } = await judge(program, { schedules: 1, bound: 50 });
  expect(disagreements).toEqual([]);
  for (const { races } of observations) expect([...races].filter((race) => race.includes('host'))).toEqual([]);
});

test.for(slow)('no two engines disagree on a sample of programs with bulk copies', async () => {
  let [complete, wrong] = [0, 0];
  for (const seed of seeds) {
    const { refused, disagreements, observations } = await judge(generateBulk(seed), { schedules: 2, bound: 50 });
    expect([seed, refused, ...disagreements]).toEqual([seed, undefined]);
    complete += Number(observations.some(({ role, claimsAll }) => role === 'graph' && claimsAll));
    wrong += Number(observations.some(({ errors }) => errors.size > 0));
  }
  // A sample without findings would prove nothing.
  expect(complete).toBeGreaterThan(2);
  expect([0, seeds.length]).not.toContain(wrong);
});

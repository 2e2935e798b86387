import { describe, expect, inject, test } from 'vitest';
import { allExamples } from '../src/seeds/all-examples.ts';
import { fits, runSchedules, shapes } from '../src/seeds/campaign.ts';
import { campaignOf } from '../src/seeds/options.ts';

const every = inject('everyCase');

const quick: readonly string[] = ['05-rmsnorm-lsa', '07-alltoall-lsa-simple', '12-symmetric-memory-allgather'];
const chosen = allExamples
  .map((example, i) => ({ name: example.name, example, i }))
  .filter(({ name }) => quick.includes(name) !== inject('slow'));

describe.each(chosen)('the check of $name is clean', ({ example, i }) => {
  // Shapes in which no ranks, all ranks, or some ranks reach each other: one of them for each
  // example, in turns. With NCCLTS_EVERY_CASE set, all.
  const small = shapes.filter((shape) => shape.ranks <= (shape.lsaSize === 2 ? 4 : 2) && fits(example, shape));
  const few = small.filter((_, at) => every || at === i % small.length);

  test.each(few)('on $ranks ranks in LSA teams of $lsaSize', { timeout: 60_000 }, async (shape) => {
    // Each strategy once.
    const schedules = { deliveries: ['random', 'late'], firstSeed: 1, seeds: 3, check: true } as const;
    const { runs, failures } = await runSchedules(example, shape, schedules);
    expect(runs).toBeGreaterThanOrEqual(3);
    expect(failures).toEqual([]);
  });
});

test('the command line of campaigns is parsed', () => {
  expect(campaignOf(['--jobs', '2'])).toEqual({
    example: '',
    ranks: undefined,
    schedules: { deliveries: ['random', 'late'], firstSeed: 1, seeds: 200, check: false, full: false },
    jobs: 2,
  });
  const asked = [
    '--check',
    '--ranks',
    '2',
    '--seeds',
    '10000',
    '--first',
    '5',
    '--delivery',
    'late',
    '--example',
    '06',
  ];
  expect(campaignOf(asked)).toMatchObject({
    example: '06',
    ranks: 2,
    schedules: { deliveries: ['late'], firstSeed: 5, seeds: 10_000, check: true },
  });
  expect(campaignOf(['-h'])).toBeUndefined();
  expect(() => campaignOf(['--seeds', '0'])).toThrow('--seeds 0: it must be an integer of at least 1');
  expect(() => campaignOf(['--delivery', 'soon'])).toThrow('it must be random or late');
});

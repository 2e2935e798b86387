import { describe, expect, inject, test } from 'vitest';
import type { Example } from '../../src/example.ts';
import { examples } from '../../src/examples.ts';
import { runSchedules, shapes } from '../../src/seeds/campaign.ts';

const every = inject('everyCase');

/**
 * Tests each of the examples that are `chosen` under a few schedules on every third shape, in
 * turns. With NCCLTS_EVERY_CASE set, it tests them on every shape. Smaller worlds run more
 * schedules, because a world of 16 ranks takes as long as many worlds of 2.
 */
export function testExamples(chosen: (example: Example) => boolean): void {
  const all = examples.filter(chosen).map((example, i) => ({
    name: example.name,
    example,
    // The quick tests have one shape of every third example.
    sizes: shapes
      .filter((_, at) => every || at % 3 === i % 3)
      .filter((_, at) => (i % 3 === 0 && at === 0) !== inject('slow')),
  }));
  describe.each(all.filter(({ sizes }) => sizes.length > 0))('$name', ({ example, sizes }) => {
    test.each(sizes)('$ranks ranks in LSA teams of $lsaSize', { timeout: 60_000 }, async (shape) => {
      const seeds = shape.ranks <= 4 ? 2 : 1;
      const schedules = { deliveries: ['random', 'late'], firstSeed: 1, seeds } as const;
      const { runs, failures } = await runSchedules(example, shape, schedules);
      expect(runs).toBe(seeds * (example.needs.includes('gin') ? 2 : 1));
      expect(failures).toEqual([]);
    });
  });
}

import { describe, expect, test } from 'vitest';
import type { Example } from '../../src/example.ts';
import { examples } from '../../src/examples.ts';
import { runSchedules, shapes } from '../../src/seeds/campaign.ts';

/**
 * Tests each of the examples that are `chosen` on every shape, under a few schedules, and once at
 * full size. Smaller worlds run more schedules, because a world of 16 ranks takes as long as many
 * worlds of 2.
 */
export function testExamples(chosen: (example: Example) => boolean): void {
  describe.each(examples.filter(chosen))('$name', (example) => {
    test.each(shapes)('$ranks ranks in LSA teams of $lsaSize', { timeout: 60_000 }, async (shape) => {
      const seeds = shape.ranks <= 4 ? 2 : 1;
      const schedules = { deliveries: ['random', 'late'], firstSeed: 1, seeds } as const;
      const { runs, failures } = await runSchedules(example, shape, schedules);
      expect(runs).toBe(seeds * (example.needs.includes('gin') ? 2 : 1));
      expect(failures).toEqual([]);
    });
  });
}

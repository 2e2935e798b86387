import { describe, expect, inject, test } from 'vitest';
import { randomInClusters } from '../oracle/in-clusters.ts';
import { randomProgram } from '../oracle/random-program.ts';
import { differenceOf } from './compare-program.ts';
import { graphVerdictOf } from './graph-verdict.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** With NCCLTS_EVERY_CASE set, more programs; in the quick tests, fewer. */
const most = !inject('slow') ? 0.05 : inject('everyCase') ? 4 : 1;
const seeds = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, i) => first + i);

describe('on random programs', () => {
  // Many more are compared by `pnpm campaign`.
  test('the graph engine agrees with the oracle', { timeout: 120_000 }, () => {
    for (const seed of seeds(1_000_000, 100 * most))
      expect(differenceOf(randomProgram(seed)), `seed ${seed}`).toBeUndefined();
  });

  test.for(slow)('the graph engine agrees with the oracle about clusters', { timeout: 120_000 }, () => {
    for (const seed of seeds(1_500_000, (inject('slow') ? 1600 : 500) * most))
      expect(differenceOf(randomInClusters(seed)), `seed ${seed}`).toBeUndefined();
  });

  test('the graph engine misses nothing by postponing reads only where it helps', { timeout: 120_000 }, () => {
    for (const seed of seeds(2_000_000, 50 * most)) {
      const program = randomProgram(seed);
      const { runs: all, ...always } = graphVerdictOf(program, { postpone: 'always' });
      const { runs, ...needed } = graphVerdictOf(program);
      expect(needed, `seed ${seed}`).toEqual(always);
      expect(runs, `seed ${seed}`).toBeLessThanOrEqual(all);
    }
  });
});

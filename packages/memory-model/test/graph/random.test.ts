import { describe, expect, test } from 'vitest';
import { randomProgram } from '../oracle/random-program.ts';
import { differenceOf } from './compare-program.ts';
import { graphVerdictOf } from './graph-verdict.ts';

const seeds = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, i) => first + i);

describe('the graph engine, on random programs,', () => {
  // Many more are compared by `pnpm campaign`.
  test('agrees with the oracle', { timeout: 120_000 }, () => {
    for (const seed of seeds(1_000_000, 400)) expect(differenceOf(randomProgram(seed)), `seed ${seed}`).toBeUndefined();
  });

  test('misses nothing if it postpones reads only where that may help', { timeout: 120_000 }, () => {
    for (const seed of seeds(2_000_000, 200)) {
      const program = randomProgram(seed);
      const { runs: all, ...always } = graphVerdictOf(program, { postpone: 'always' });
      const { runs, ...needed } = graphVerdictOf(program);
      expect(needed, `seed ${seed}`).toEqual(always);
      expect(runs, `seed ${seed}`).toBeLessThanOrEqual(all);
    }
  });
});

import { expect, inject, test } from 'vitest';
import { randomInClusters } from '../oracle/in-clusters.ts';
import { compareSchedules, faultText } from './compare-schedules.ts';

/** With NCCLTS_EVERY_CASE set, more programs; in the quick tests, fewer. */
const programs = inject('everyCase') ? 4000 : inject('slow') ? 1000 : 150;

test('the engine agrees with the axioms about clusters', { timeout: 300_000 }, () => {
  const faults: string[] = [];
  let racySchedules = 0;
  for (let seed = 1_500_000; seed < 1_500_000 + programs; seed++) {
    const program = randomInClusters(seed);
    const comparison = compareSchedules(program, seed, 6, 'never');
    const text = faultText(program, comparison);
    if (text !== undefined) faults.push(`seed ${seed}\n${text}`);
    racySchedules += comparison.racySchedules;
  }
  expect(faults).toEqual([]);
  expect(racySchedules).toBeGreaterThan(programs);
});

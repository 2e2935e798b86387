import { describe, expect, inject, test } from 'vitest';

import { randomProgram } from '../oracle/random-program.ts';
import { compareSchedules, faultText } from './compare-schedules.ts';

/** With NCCLTS_EVERY_CASE set, four times as many. */
const programs = inject('everyCase') ? 2000 : 500;
const first = 1_000_000;

describe(`the engine agrees with the axioms on random programs with seeds ${first} to ${first + programs - 1}`, () => {
  const faults: string[] = [];
  const total = { racy: 0, found: 0, racySchedules: 0, silent: 0, excused: 0 };

  // The oracle checks only some, because checking all would take too long.
  test('each reported race is real, and the engine reports every schedule with a race', () => {
    for (let seed = first; seed < first + programs; seed++) {
      const asked = seed % 5 === 0;
      const program = randomProgram(seed);
      const comparison = compareSchedules(program, seed, asked ? 8 : 4, asked ? 'always' : 'never');
      const text = faultText(program, comparison);
      if (text !== undefined) faults.push(`seed ${seed}\n${text}`);
      if (asked && comparison.racy) total.racy++;
      if (asked && comparison.found) total.found++;
      total.racySchedules += comparison.racySchedules;
      total.silent += comparison.silent;
      total.excused += comparison.excused;
    }
    expect(faults).toEqual([]);
    expect(total.racySchedules).toBeGreaterThan(programs);
  }, 300_000);

  test('nearly all programs that race in some execution are found', () => {
    expect(total.racy).toBeGreaterThan(programs / 5 / 3);
    expect(total.found / total.racy).toBeGreaterThan(0.94);
  });

  test("the engine's known omissions and false reports are rare", () => {
    expect(total.silent / total.racySchedules).toBeLessThan(0.01);
    expect(total.excused / total.racySchedules).toBeLessThan(0.002);
  });
});

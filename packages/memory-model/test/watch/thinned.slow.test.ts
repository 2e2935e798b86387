import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { AGENTS, run, type Step, THREADS, WORDS } from './support/thinned.ts';

/** Programs without any order; with NCCLTS_EVERY_CASE set, more. */
const runs = inject('everyCase') ? 40 : 12;

function step(meets: fc.Arbitrary<boolean>): fc.Arbitrary<Step> {
  return fc.record({
    agent: fc.nat(AGENTS - 1),
    thread: fc.nat(THREADS - 1),
    // A plain store of a whole word replaces all earlier accesses.
    site: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom(1, 2, 5, 6, 7, 8) },
      { weight: 1, arbitrary: fc.constantFrom(3, 4, 9) },
    ),
    word: fc.nat(WORDS - 1),
    meets,
  });
}

test('without any order, every racing pair of source locations is reported although old accesses are dropped', () => {
  const shorter = { usual: 0, few: 0 };
  const property = fc.property(fc.array(step(fc.constant(false)), { minLength: 200, maxLength: 600 }), (steps) => {
    const all = run(steps, Infinity);
    for (const [name, kept] of [
      ['usual', undefined],
      ['few', 4],
    ] as const) {
      const { pairs, sightings } = run(steps, kept);
      expect(pairs).toEqual(all.pairs);
      if (sightings < all.sightings) shorter[name]++;
    }
  });
  fc.assert(property, { numRuns: runs, seed: 7 });
  // Otherwise the test would prove nothing.
  expect(shorter.usual).toBeGreaterThan((runs * 3) / 8);
  expect(shorter.few).toBeGreaterThan((runs * 3) / 8);
});

test('in small programs whose threads synchronize, every occurrence of a race is reported', () => {
  const property = fc.property(fc.array(step(fc.boolean()), { maxLength: 16 }), (steps) => {
    expect(run(steps)).toEqual(run(steps, Infinity));
  });
  fc.assert(property, { numRuns: 300, seed: 7 });
});

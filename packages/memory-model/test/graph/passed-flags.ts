import * as fc from 'fast-check';
import type { Step } from './rising-flags.ts';
import { change, changed } from './signed-sums.ts';

/**
 * A flag that one agent raises, and another raises again after it has waited for the first. A third
 * waits for either value. Some of the steps are changed.
 */
export const passedFlags: fc.Arbitrary<Step[][]> = fc
  .record({
    waitsFor: fc.integer({ min: 1, max: 2 }),
    reads: fc.constantFrom([0], [1], [0, 1]),
    fences: fc.boolean(),
    changes: fc.array(change, { minLength: 12, maxLength: 12 }),
  })
  .map(({ waitsFor, reads, fences, changes }) => {
    const fence: readonly Step[] = fences ? [{ kind: 'fence', order: 'acq_rel' }] : [];
    const programs: readonly (readonly Step[])[] = [
      [{ kind: 'store', data: 0, strong: false }, raisedTo(1)],
      [waitFor(1), { kind: 'store', data: 1, strong: false }, ...fence, raisedTo(2)],
      [waitFor(waitsFor), ...reads.map((data): Step => ({ kind: 'load', data, strong: false }))],
    ];
    return programs.map((steps, rank) => steps.flatMap((step, i) => changed(step, changes[4 * rank + i] ?? 'none')));
  });

function raisedTo(value: number): Step {
  return { kind: 'raise', flag: 0, strong: true, release: true, value };
}

function waitFor(least: number): Step {
  return { kind: 'wait', flags: [0], least, acquire: true };
}

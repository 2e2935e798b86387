import { expandIntrinsics, foldModule, normalise, printModule, unrollLoops, validate, type Module } from '@nccl-ts/ir';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { agree, trace } from './support/interpreter.ts';
import { moduleArbitrary } from './support/module-arbitrary.ts';
import { everything } from './support/vocabulary.ts';

/** With NCCLTS_EVERY_CASE set, more modules; in the quick tests, fewer. */
const most = !inject('slow') ? 0.05 : inject('everyCase') ? 4 : 1;

/** The difference of two modules in one of several made-up surroundings. */
function difference(before: Module, after: Module): string | undefined {
  for (const seed of [1, 2, 3, 4]) {
    const expected = trace(before, seed);
    const found = trace(after, seed);
    if (!agree(expected, found)) {
      return `${printModule(before)}\n${expected.join('\n')}\n\n${printModule(after)}\n${found.join('\n')}`;
    }
  }
  return undefined;
}

describe('effects, their order and their faults', () => {
  it.each<[string, (module: Module) => Module, number]>([
    ['foldModule', foldModule, 50],
    ['normalise', normalise, 25],
    ['unrollLoops', (module) => unrollLoops(module), 75],
    ['expandIntrinsics', (module) => expandIntrinsics(module, (name) => name === 'pick'), 25],
  ])('stay the same: %s', (_, transform, numRuns) => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const after = transform(module);
        expect(validate(after, everything)).toMatchObject({ ok: true });
        expect(difference(module, after)).toBeUndefined();
      }),
      { seed: 3, numRuns: Math.ceil(numRuns * most) },
    );
  });
});

describe('normalise', () => {
  it('changes nothing if it is applied again', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const once = normalise(module);
        expect(printModule(normalise(once))).toBe(printModule(once));
      }),
      { seed: 7, numRuns: Math.ceil(20 * most) },
    );
  });
});

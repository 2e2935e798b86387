import {
  expandIntrinsics,
  foldModule,
  normalise,
  printModule,
  unrollLoops,
  validate,
  type Module,
} from '@nccl-ts/ir';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agree, trace } from './support/interpreter.ts';
import { moduleArbitrary } from './support/module-arbitrary.ts';
import { everything } from './support/vocabulary.ts';

/** Runs both in several made-up surroundings and compares what they do. */
function expectSameEffects(before: Module, after: Module): void {
  expect(validate(after, everything)).toMatchObject({ ok: true });
  for (const seed of [1, 2, 3, 4]) {
    const expected = trace(before, seed);
    const found = trace(after, seed);
    if (!agree(expected, found)) {
      expect(`${printModule(after)}\n${found.join('\n')}`).toBe(`${printModule(before)}\n${expected.join('\n')}`);
    }
  }
}

function keepsEffects(transform: (module: Module) => Module, seed: number, numRuns = 200): void {
  fc.assert(
    fc.property(moduleArbitrary(), (module) => expectSameEffects(module, transform(module))),
    { seed, numRuns },
  );
}

describe('transforms keep every effect, its order and the faults', () => {
  it('foldModule', () => keepsEffects(foldModule, 3, 400));
  it('normalise', () => keepsEffects(normalise, 4, 300));
  it('unrollLoops', () => keepsEffects((module) => unrollLoops(module), 5, 300));
  it('expandIntrinsics', () => keepsEffects((module) => expandIntrinsics(module, (name) => name === 'pick'), 6, 100));
});

describe('normalise', () => {
  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const once = normalise(module);
        expect(printModule(normalise(once))).toBe(printModule(once));
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

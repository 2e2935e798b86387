import { parseModule, validate, type Capabilities, type Diagnostic, type Module } from '@nccl-ts/ir';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moduleArbitrary } from './support/module-arbitrary.ts';
import { everything } from './support/vocabulary.ts';

function diagnostics(module: Module, capabilities: Partial<Capabilities> = {}): readonly Diagnostic[] {
  const validation = validate(module, { ...everything, ...capabilities });
  return validation.ok ? [] : validation.diagnostics;
}

describe('validate', () => {
  it('accepts every well-typed module', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        expect(diagnostics(module)).toEqual([]);
      }),
      { seed: 8, numRuns: 300 },
    );
  });
});

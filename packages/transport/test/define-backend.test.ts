import { describe, expect, it } from 'vitest';
import { defineBackend, type Backend } from '@nccl-ts/transport';

function backend(): Backend & { readonly extra: number } {
  return {
    name: 'nothing',
    capabilities: {
      backend: 'nothing',
      scalars: ['f32'],
      maxBlockThreads: 256,
      maxSharedBytes: 0,
      divergentWaits: false,
      subgroups: false,
      print: false,
      multimem: false,
      primitives: [],
    },
    extra: 1,
    open: () => Promise.reject(new Error('It opens nothing.')),
  };
}

describe('defineBackend', () => {
  it('returns the same backend, with its other members', () => {
    const given = backend();
    const defined = defineBackend(given);
    expect(defined).toBe(given);
    expect(defined.extra).toBe(1);
  });

  it('freezes it and its capabilities', () => {
    const defined = defineBackend(backend());
    expect(Object.isFrozen(defined)).toBe(true);
    expect(Object.isFrozen(defined.capabilities)).toBe(true);
    expect(() => Object.assign(defined.capabilities, { multimem: true })).toThrow(TypeError);
    expect(defined.capabilities.multimem).toBe(false);
  });

  it('allows only capabilities that JSON can represent', () => {
    const { capabilities } = defineBackend(backend());
    expect(JSON.parse(JSON.stringify(capabilities))).toEqual(capabilities);
  });
});

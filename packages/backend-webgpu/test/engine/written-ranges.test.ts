import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WordRange } from '../../src/engine/memory-exchange.ts';
import { merged } from '../../src/engine/written-ranges.ts';

describe('the compared ranges', () => {
  it('have each word once and in ascending order', () => {
    const range = fc.record({ address: fc.nat(50).map((word) => word * 4), words: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(fc.array(range), (ranges) => {
        const words = (of: readonly WordRange[]): number[] =>
          of.flatMap(({ address, words }) => Array.from({ length: words }, (_, i) => address / 4 + i));
        const expected = [...new Set(words(ranges))].sort((a, b) => a - b);
        const found = merged(ranges);
        expect(words(found)).toEqual(expected);
        // No range touches the next.
        found.slice(1).forEach(({ address }, i) => {
          const before = found[i];
          expect(address).toBeGreaterThan((before?.address ?? 0) + (before?.words ?? 0) * 4);
        });
      }),
      { seed: 1 },
    );
  });
});

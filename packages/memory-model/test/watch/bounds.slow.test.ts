import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeySelection } from '../../src/watch/bounds.ts';
import { Pair } from './support/bounds.ts';

test('clocks that join hundreds of shared maps, merged ones too, keep the greatest number of each key', () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(999)), (numbers) => {
      const next = (most: number): number => (numbers.next().value ?? 0) % most;
      const clocks = Array.from({ length: 3 }, () => new Pair());
      for (let turn = 0; turn < 400; turn++) {
        const layer = new Pair();
        for (let k = 0; k < 20 + next(20); k++) {
          const [at, bound] = [next(500), 1 + next(1000)];
          layer.bounds.raise(at, bound);
          layer.plain.set(at, Math.max(layer.plain.get(at) ?? 0, bound));
        }
        const to = clocks[next(3)];
        const other = clocks[next(3)];
        if (to === undefined || other === undefined) throw new RangeError('three clocks');
        for (const from of next(4) === 0 && other !== to ? [layer, other] : [layer]) {
          to.bounds.join(from.bounds, from === layer);
          for (const [at, bound] of from.plain) to.plain.set(at, Math.max(to.plain.get(at) ?? 0, bound));
        }
      }
      const waiters = new KeySelection((key) => key % 3 === 0);
      for (const { bounds, plain } of clocks) {
        const sorted = (map: ReadonlyMap<number, number>): readonly (readonly [number, number])[] =>
          [...map].toSorted(([a], [b]) => a - b);
        expect(sorted(bounds.entries())).toEqual(sorted(plain));
        expect(sorted(bounds.only(waiters).entries())).toEqual(sorted(plain).filter(([key]) => key % 3 === 0));
        for (const [at, bound] of plain) expect(bounds.get(at)).toBe(bound);
      }
    }),
    { seed: 2, numRuns: 5 },
  );
});

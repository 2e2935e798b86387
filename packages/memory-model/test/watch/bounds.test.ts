import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bounds } from '../../src/watch/bounds.ts';
import { bound, key, KEYS, Pair } from './support/bounds.ts';

const place = fc.nat(2);
const few = fc.array(fc.tuple(key, bound), { maxLength: 3 });
/** Enough entries for maps to be shared. */
const many = fc.array(fc.tuple(key, bound), { minLength: 40, maxLength: 60 });

type Step =
  | { readonly kind: 'raise'; readonly to: number; readonly entries: readonly (readonly [number, number])[] }
  | { readonly kind: 'join'; readonly to: number; readonly from: number; readonly isFinal: boolean }
  | { readonly kind: 'drop'; readonly to: number; readonly below: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('raise' as const),
    to: place,
    entries: fc.oneof(few, many),
  }),
  fc.record({ kind: fc.constant('join' as const), to: place, from: place, isFinal: fc.boolean() }),
  fc.record({ kind: fc.constant('drop' as const), to: place, below: bound }),
);

test("the watch's bounds equal plain maps, however they are joined and shared", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pairs = Array.from({ length: 3 }, () => new Pair());
      const toChange = (index: number): Pair => {
        const known = pairs[index] ?? new Pair();
        const own = known.isFinal ? known.copy() : known;
        pairs[index] = own;
        return own;
      };
      for (const one of steps) {
        const to = toChange(one.to);
        if (one.kind === 'raise') {
          for (const [at, raised] of one.entries) {
            to.bounds.raise(at, raised);
            to.plain.set(at, Math.max(to.plain.get(at) ?? 0, raised));
          }
        } else if (one.kind === 'join') {
          const from = pairs[one.from];
          if (from === undefined || from === to) continue;
          from.isFinal ||= one.isFinal;
          to.bounds.join(from.bounds, from.isFinal);
          for (const [at, other] of from.plain) to.plain.set(at, Math.max(to.plain.get(at) ?? 0, other));
        } else {
          to.bounds.drop((_, of) => of < one.below);
          // Shared entries may stay with lower bounds, because their readers know that they are
          // useless.
          for (const [at, of] of to.plain) {
            const left = to.bounds.get(at);
            if (of >= one.below || left > of) continue;
            if (left === 0) to.plain.delete(at);
            else to.plain.set(at, left);
          }
        }
      }
      for (const { bounds, plain } of pairs) {
        expect(Array.from({ length: KEYS }, (_, at) => bounds.get(at))).toEqual(
          Array.from({ length: KEYS }, (_, at) => plain.get(at) ?? 0),
        );
        expect(new Map([...bounds.entries()].toSorted(([a], [b]) => a - b))).toEqual(
          new Map([...plain].toSorted(([a], [b]) => a - b)),
        );
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('an unused entry is dropped', () => {
  const shared = new Bounds();
  for (let at = 0; at < KEYS; at++) shared.raise(at, 5);
  const own = new Bounds();
  own.join(shared, true);
  own.raise(1, 7);
  own.drop((_, of) => of < 6);
  expect([own.size, own.get(1), own.get(2)]).toEqual([1, 7, 0]);
  expect(shared.size).toBe(KEYS);
});

test('many maps are merged into one', () => {
  const all = new Bounds();
  for (let map = 0; map < 200; map++) {
    const one = new Bounds();
    for (let at = 0; at < 20; at++) one.raise(at, map + 1);
    all.join(one, true);
  }
  expect(all.get(3)).toBe(200);
  expect(all.size).toBeLessThan(70 * 20);
});

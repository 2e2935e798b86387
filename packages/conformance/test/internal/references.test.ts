import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { integerKinds, leastOf, mostOf, samplesOf, wrapTo } from '../../src/cases/fixture/integers.ts';
import { fusedTo, roundTo, ulpOf } from '../../src/cases/fixture/round-float.ts';

/** The host's reference results are useful only if they are right. */

describe('roundTo', () => {
  it('rounds to f32 as Math.fround does', () => {
    fc.assert(
      fc.property(fc.double(), (x) => Object.is(roundTo('f32', x), Math.fround(x))),
      { seed: 11, numRuns: 2000 },
    );
  });

  it('leaves doubles unchanged', () => {
    fc.assert(
      fc.property(fc.double(), (x) => Object.is(roundTo('f64', x), x)),
      { seed: 12, numRuns: 2000 },
    );
  });

  it.each([
    ['f16', 65519.99, 65504],
    ['f16', 65520, Infinity],
    ['f16', 2 ** -25, 0],
    ['f16', 2 ** -25 * 1.001, 2 ** -24],
    ['f16', -(2 ** -25), -0],
    ['bf16', 1 + 2 ** -8, 1],
    ['bf16', 1 + 3 * 2 ** -8, 1 + 2 ** -6],
    ['e4m3', 464, 448],
    ['e4m3', Infinity, 448],
    ['e4m3', 2 ** -10, 0],
    ['e4m3', 1.5 * 2 ** -9, 2 ** -8],
    ['e5m2', -Infinity, -57344],
    ['e5m2', 1.125, 1],
  ] as const)('rounds to %s: %f gives %f', (kind, x, expected) => {
    expect(roundTo(kind, x)).toBe(expected);
  });
});

describe('fusedTo', () => {
  it('rounds once', () => {
    const x = 1 + 2 ** -12;
    expect(fusedTo('f32', x, x, -1)).toBe(2 ** -11 + 2 ** -24);
    expect(Math.fround(Math.fround(x * x) - 1)).toBe(2 ** -11);
    expect(fusedTo('f64', 1 + 2 ** -30, 1 - 2 ** -30, -1)).toBe(-(2 ** -60));
  });

  it('keeps infinities, NaN and the sign of zero', () => {
    expect(fusedTo('f32', Infinity, 2, 1)).toBe(Infinity);
    expect(fusedTo('f32', Infinity, 0, 1)).toBeNaN();
    expect(fusedTo('f32', 0, -1, -0)).toBe(-0);
    expect(fusedTo('f32', 2, 3, -6)).toBe(0);
  });
});

describe('ulpOf', () => {
  it('is the distance to the next number', () => {
    expect(ulpOf('f32', 1)).toBe(2 ** -23);
    expect(ulpOf('f32', -1.99)).toBe(2 ** -23);
    expect(ulpOf('f32', 0)).toBe(2 ** -149);
    expect(ulpOf('f64', 8)).toBe(2 ** -49);
  });
});

describe('integers', () => {
  it.each(integerKinds)('%s wraps into its range', (kind) => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (value) => {
        const wrapped = wrapTo(kind, value);
        return (
          wrapped >= leastOf(kind) &&
          wrapped <= mostOf(kind) &&
          (wrapped - value) % (mostOf(kind) - leastOf(kind) + 1n) === 0n
        );
      }),
      { seed: 13 },
    );
  });

  it.each(integerKinds)('%s is sampled at the limits of its range', (kind) => {
    expect(samplesOf(kind)).toEqual(expect.arrayContaining([leastOf(kind), mostOf(kind), 0n, 1n]));
  });
});

import { describe, expect, it } from 'vitest';
import { withLeast, type Want } from '../../src/watch/want.ts';

const base = { isUsedAfter: true, isAlone: false } as const;

describe('the least value of a wait', () => {
  it('is found for increasing values', () => {
    const want: Want = { ...base, accepts: (bits) => BigInt.asIntN(32, bits - 5n) >= 0n };
    expect(withLeast(want, 9n, 4).least).toBe(5n);
  });

  it('is absent for one value', () => {
    const want: Want = { ...base, accepts: (bits) => bits === 9n };
    expect(withLeast(want, 9n, 4)).toBe(want);
  });

  it('is not searched for a word whose value does not matter', () => {
    let asked = 0;
    const accepts = (): boolean => asked++ >= 0;
    const want: Want = { ...base, accepts, isAny: true };
    expect(withLeast(want, 9n, 4)).toBe(want);
    expect(asked).toBe(0);
  });
});

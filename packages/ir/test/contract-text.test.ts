import { contractText } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

describe('the text of a contract', () => {
  it('inserts each value', () => {
    expect(contractText('index {}, but there are {}: give { count: {} }', [3, 1n, 4])).toBe(
      'index 3, but there are 1: give { count: 4 }',
    );
    expect(contractText('{} and {}', [true, 0.5])).toBe('true and 0.5');
    expect(contractText('a place {} too many {}', [1])).toBe('a place 1 too many {}');
    expect(contractText('a value too many', [1])).toBe('a value too many');
  });

  it('shows the negative number that wraps to an unsigned value', () => {
    const wrapped = (value: number | bigint): string => contractText('{}', [value]);
    expect(wrapped(2 ** 32 - 1)).toBe('4294967295 (-1 as u32)');
    expect(wrapped(2 ** 32 - 65536)).toBe('4294901760 (-65536 as u32)');
    expect(wrapped(2 ** 32 - 65537)).toBe('4294901759');
    expect(wrapped(2 ** 32)).toBe('4294967296');
    expect(wrapped(2n ** 64n - 2n)).toBe('18446744073709551614 (-2 as u64)');
    expect(wrapped(-1)).toBe('-1');
    expect(wrapped(2 ** 31)).toBe('2147483648');
    expect(wrapped(NaN)).toBe('NaN');
  });
});

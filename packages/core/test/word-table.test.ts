import { wordTable } from '@nccl-ts/core';
import { expect, it } from 'vitest';

it('a table of words has only its own entries', () => {
  const table = wordTable({ add: 1 });
  const found = ['add', 'constructor', '__proto__', 'toString', 'valueOf'].map((word) => table[word]);
  expect(found).toEqual([1, undefined, undefined, undefined, undefined]);
  expect(Object.isFrozen(table)).toBe(true);
});

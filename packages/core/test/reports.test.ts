import { alignCells, markdownTable, medianOf } from '@nccl-ts/core';
import { expect, test } from 'vitest';

test('medianOf returns the median', () => {
  expect([medianOf([3, 1, 2]), medianOf([4, 1, 2, 3]), medianOf([7]), medianOf([])]).toEqual([2, 2.5, 7, Number.NaN]);
  expect(medianOf([4, 1, 2, 3], 'greater')).toBe(3);
});

test('alignCells pads every column to its widest cell, on the side that the column asks for', () => {
  const rows = [
    ['name', 'us'],
    ['a', '12.5'],
  ];
  expect(alignCells(rows)).toEqual([
    ['name', 'us  '],
    ['a   ', '12.5'],
  ]);
  expect(alignCells(rows, (column) => column === 1)).toEqual([
    ['name', '  us'],
    ['a   ', '12.5'],
  ]);
});

test('markdownTable escapes what would end a cell', () => {
  const table = markdownTable(['operator', 'uses'], [['a | b', '3']], (column) => column === 1);
  expect(table).toBe(['| operator | uses |', '|----------|-----:|', String.raw`| a \| b | 3 |`].join('\n'));
});

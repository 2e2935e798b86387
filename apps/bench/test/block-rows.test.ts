import { expect, inject, test } from 'vitest';

import { blockRow, type BlockCell } from '../src/blocks/block-rows.ts';

const cells: readonly BlockCell[] = [
  { op: 'reduce', element: 'bf16', ranks: 2, bytes: 4096 },
  { op: 'reduceCopy', element: 'u8', ranks: 3, bytes: 1024 },
  { op: 'copy', element: 'f32', ranks: 2, bytes: 1024 },
];

// The quick tests have one.
test.each(cells.filter((_, i) => (i === 0) !== inject('slow')))(
  '$op of $element is timed against the native loop and JavaScript',
  async (cell) => {
    const { samples, ratio, ofJs } = await blockRow(cell, 1, 1 << 14);
    expect(samples.map(({ name, ms }) => [name, ms.length])).toEqual([
      ['native', 1],
      ['wasm', 1],
      ['js', 1],
    ]);
    expect(ratio).toBeGreaterThan(0);
    expect(ofJs).toBeGreaterThan(0);
  },
);

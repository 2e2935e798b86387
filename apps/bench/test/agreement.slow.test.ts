import { describe, expect, it } from 'vitest';
import { batchesOf } from '../src/agreement/batches.ts';

describe('batches of cases', () => {
  it('contain every case of the product once, with the cases of a kernel side by side', () => {
    const batches = batchesOf('product', '');
    const ids = batches.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toMatchInlineSnapshot(`257580`);
    const names = batches.map((batch) => new Set(batch.map(({ id }) => id.split('/').slice(0, 4).join('/'))));
    expect(names.every(({ size }) => size === 1)).toBe(true);
  });
});

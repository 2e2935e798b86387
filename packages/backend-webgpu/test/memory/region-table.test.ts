import { describe, expect, it } from 'vitest';
import { RegionTable } from '../../src/memory/region-table.ts';

describe('RegionTable', () => {
  it('does not reuse numbers until they are recycled', () => {
    const table = new RegionTable();
    const first = table.add([4096, 8192], 100);
    expect(Array.from(table.low.slice(0, 3))).toEqual([0, 4096, 8192]);
    expect(Array.from(table.high.slice(0, 3))).toEqual([0, 4196, 8292]);
    const before = table.version;
    table.clear(first, 2);
    expect(table.version).toBeGreaterThan(before);
    expect(Array.from(table.high.slice(0, 3))).toEqual([0, 0, 0]);
    expect(table.add([4096, 8192], 100)).toBe(first + 2);
    table.recycle();
    expect(table.add([4096], 100)).toBe(first + 4);
    expect(table.add([4096, 4096], 100)).toBe(first);
    expect(table.length).toBe(6);
  });

  it('holds 32-bit addresses, and grows', () => {
    const table = new RegionTable();
    table.add([0xffff_e000], 4096);
    const first = table.add(
      Array.from({ length: 100 }, (_, i) => i * 4096),
      10,
    );
    expect(table.low[1]).toBe(0xffff_e000);
    expect(table.high[1]).toBe(0xffff_f000);
    expect(table.low[first + 99]).toBe(99 * 4096);
    expect(table.high[first + 99]).toBe(99 * 4096 + 10);
  });
});

import { describe, expect, it } from 'vitest';
import { run } from './support/worlds.ts';
import './worlds.test.ts';

const GIB = 2 ** 30;

describe('worlds', () => {
  it('run 64 ranks x 8 CTAs x 128 threads in less than 1 GiB of additional memory', async () => {
    const count = 1 << 16;
    // The process may have run other files before.
    const before = process.memoryUsage().rss;
    const results = await run({ ranks: 64, grid: 8, block: 128, count }, () => 'allReduce');
    const sum = (64 * 65) / 2;
    expect(results).toHaveLength(64);
    for (const result of results) expect(result.every((value) => value === sum)).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(GIB);
  });
});

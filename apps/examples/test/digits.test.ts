import { sim } from '@nccl-ts/backend-sim';
import { expect, inject, test } from 'vitest';
import { loadDigits, PIXELS } from '../src/02-digits/digits.ts';
import { runDigits } from '../src/02-digits/run.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

test('the digits are those of MNIST, with alternating classes', () => {
  const { training, test: tested } = loadDigits({ training: 3, test: 2 });
  expect(training.map(({ label }) => label)).toEqual(Array.from({ length: 30 }, (_, i) => i % 10));
  expect(tested).toHaveLength(20);
  const all = [...training, ...tested];
  expect(new Set(all.map(({ pixels }) => pixels.join()))).toHaveProperty('size', 50);
  for (const { pixels } of all) {
    expect(pixels).toHaveLength(PIXELS);
    expect(pixels.every((pixel) => pixel >= 0 && pixel <= 1)).toBe(true);
    // There is ink in the middle, and a margin around it.
    expect(Math.max(...pixels)).toBeGreaterThan(0.9);
    expect(Math.max(...pixels.subarray(0, 28), ...pixels.subarray(-28))).toBe(0);
  }
});

test('a missing digit is an error', () => {
  expect(() => loadDigits({ training: 5000, test: 5000 })).toThrow(/fewer than 10000 images of the digit 0/);
});

test.for(slow)('ranks without a connection disagree, and the example reports it', async () => {
  const lines: string[] = [];
  const agree = await runDigits({
    backend: (ranks) => sim({ ranks, lsaSize: 1 }),
    ranks: [1, 2],
    epochs: 1,
    training: 20,
    test: 5,
    print: (line) => lines.push(line),
  });
  expect(agree).toBe(false);
  expect(lines.at(-1)).toBe('Runs with different numbers of ranks disagree');
});

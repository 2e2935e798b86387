import { sim } from '@nccl-ts/backend-sim';
import { expect, test } from 'vitest';
import { runDigits } from '../src/02-digits/run.ts';
import './digits.test.ts';

test('every number of ranks learns the same weights, with a good score', { timeout: 60_000 }, async () => {
  const lines: string[] = [];
  const agree = await runDigits({
    backend: (ranks) => sim({ ranks }),
    ranks: [1, 4],
    epochs: 2,
    training: 200,
    test: 50,
    print: (line) => lines.push(line),
  });
  expect(lines).toHaveLength(1 + 2 * 2 + 1);
  expect(lines[0]).toBe('Learning from 2000 handwritten digits, tested with 500 others');
  for (const line of lines.slice(1, -1)) {
    expect(line).toMatch(/^ {2}[14] ranks? +epoch [12] {2}loss \d\.\d{4} {2}accuracy \d\d\.\d %$/);
  }
  const [first = 0, second = 0] = lines.slice(1, 3).map((line) => Number(/accuracy ([\d.]+)/.exec(line)?.[1]));
  expect(second).toBeGreaterThan(85);
  expect(second).toBeGreaterThanOrEqual(first);
  expect(lines.at(-1)).toBe('All agree: the network learns the same on 1, 4 ranks');
  expect(agree).toBe(true);
});

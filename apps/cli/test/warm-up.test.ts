import { expect, test } from 'vitest';
import { warmUp } from '../src/tune/warm-up.ts';

/** A contender whose times these are; the last one holds from then on. */
function contender(times: readonly number[]): { readonly times: readonly number[]; turns: number } {
  return { times, turns: 0 };
}

const takeTurn = async (one: ReturnType<typeof contender>): Promise<number> =>
  one.times[one.turns++] ?? one.times.at(-1) ?? 0;

test('warm-up continues while a contender still becomes faster, and does not delay steady ones', async () => {
  const cold = contender([100, 90, 80, 60, 40, 20, 10]);
  const warm = contender([15]);
  await warmUp([cold, warm], takeTurn, { least: 2, now: () => 0 });
  // Seven turns to become warm, and three that are no faster.
  expect(cold.turns).toBe(10);
  expect(warm.turns).toBe(4);
});

test('warm-up ends if times vary only at random', async () => {
  const shaky = contender([10, 9.8, 10.4, 9.7, 10.2]);
  await warmUp([shaky], takeTurn, { least: 1, now: () => 0 });
  expect(shaky.turns).toBe(4);
});

test('warm-up can be switched off, has a minimum, and has a time limit', async () => {
  const never = contender([1]);
  await warmUp([never], takeTurn, { least: 0 });
  expect(never.turns).toBe(0);
  const often = contender([1]);
  await warmUp([often], takeTurn, { least: 20, now: () => 0 });
  expect(often.turns).toBe(20);
  let clock = 0;
  const endless = contender(Array.from({ length: 1000 }, (_, i) => 2 ** -i));
  await warmUp([endless], takeTurn, { least: 1, now: () => (clock += 1000) });
  expect(endless.turns).toBeLessThan(10);
});

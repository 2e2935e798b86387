import { difference, type Want } from './want.ts';

/** The number of intermediate values that are tested one by one. */
const FARTHEST = 4096n;

/** The maximum number of amounts for which all sums are tested. */
const MOST_AMOUNTS = 10;

/**
 * True if a wait for a sum may pass while the sum is still below its least value, because a
 * comparison of few bits wraps around. `start` is the value of the word before any of `amounts` is
 * added. May return true without need.
 */
export function passesBelow(
  { accepts, least }: Want,
  start: bigint | undefined,
  amounts: () => readonly bigint[],
  bytes: number,
): boolean {
  if (accepts === undefined || least === undefined || start === undefined) return false;
  const distance = difference(least, start, bytes);
  if (distance <= 0n) return false;
  const isLow = (sum: bigint): boolean => sum < distance && accepts(BigInt.asUintN(8 * bytes, start + sum));
  if (distance <= FARTHEST) {
    for (let sum = 0n; sum < distance; sum++) if (isLow(sum)) return true;
    return false;
  }
  return sumsOf(amounts()).some(isLow);
}

/**
 * Sums of some of the amounts: of all subsets if there are few amounts, and otherwise the running
 * sums.
 */
function sumsOf(amounts: readonly bigint[]): readonly bigint[] {
  const sums = [0n];
  for (const amount of amounts) {
    const before = amounts.length <= MOST_AMOUNTS ? [...sums] : sums.slice(-1);
    sums.push(...before.map((sum) => sum + amount));
  }
  return sums;
}

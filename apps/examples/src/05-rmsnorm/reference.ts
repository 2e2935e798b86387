import { at } from '@nccl-ts/core';
import { randomNumbers } from '../random.ts';

/** A rank's parts of all tokens. */
export function partsOf(rank: number, length: number, round: number): Float32Array {
  const next = randomNumbers(42 + rank + 1000 * round);
  return new Float32Array(length).map(next);
}

/**
 * The expected results for a team's tokens: the sums of the ranks' parts, with each token divided
 * by its root mean square.
 */
export function normalised(
  ranks: readonly number[],
  { length, hidden, eps, round }: { length: number; hidden: number; eps: number; round: number },
): Float32Array {
  const sums = new Float64Array(length);
  for (const rank of ranks) {
    const parts = partsOf(rank, length, round);
    for (let i = 0; i < length; i++) sums[i] = at(sums, i) + at(parts, i);
  }
  const result = new Float32Array(length);
  for (let first = 0; first < length; first += hidden) {
    const token = sums.subarray(first, first + hidden);
    const scale = 1 / Math.sqrt(token.reduce((sum, x) => sum + x * x, 0) / hidden + eps);
    result.set(
      token.map((x) => x * scale),
      first,
    );
  }
  return result;
}

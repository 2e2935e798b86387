import { at } from '@nccl-ts/core';
import { scrambled } from '../cases/fixture/numbers.ts';

/**
 * The number of rows that are tried for each row of the table. More of them make the table shorter,
 * but take longer.
 */
const TRIED = 24;

/**
 * Returns rows with one choice for each factor. `levels[f]` is the number of choices of factor `f`.
 * Every pair of choices of two factors occurs in some row. The rows are the same every time, and
 * nearly as few as possible.
 */
export function pairwise(levels: readonly number[], seed = 1): readonly (readonly number[])[] {
  const uncovered = new Set<number>();
  const offsets = levels.map((_, f) => levels.slice(0, f).reduce((a, b) => a + b, 0));
  const total = levels.reduce((a, b) => a + b, 0);
  const pairOf = (f: number, a: number, g: number, b: number): number =>
    (at(offsets, f) + a) * total + at(offsets, g) + b;
  const pairsOf = (row: readonly number[]): number[] =>
    row.flatMap((a, f) => row.slice(f + 1).map((b, i) => pairOf(f, a, f + 1 + i, b)));
  levels.forEach((n, f) => {
    levels.slice(f + 1).forEach((m, i) => {
      for (let a = 0; a < n; a++) for (let b = 0; b < m; b++) uncovered.add(pairOf(f, a, f + 1 + i, b));
    });
  });

  const rows: (readonly number[])[] = [];
  let state = seed;
  const below = (n: number): number => {
    state = scrambled(1, state)[0] ?? 1;
    return state % n;
  };
  while (uncovered.size > 0) {
    const [wanted = 0] = uncovered;
    let best: readonly number[] = [];
    let gained = -1;
    for (let i = 0; i < TRIED; i++) {
      const row = levels.map((n, f) => chosen(wanted, total, at(offsets, f), n) ?? below(n));
      const gain = pairsOf(row).filter((pair) => uncovered.has(pair)).length;
      if (gain > gained) [best, gained] = [row, gain];
    }
    for (const pair of pairsOf(best)) uncovered.delete(pair);
    rows.push(best);
  }
  return rows;
}

/** The choice that the pair `wanted` requires for the factor whose choices begin at `offset`. */
function chosen(wanted: number, total: number, offset: number, n: number): number | undefined {
  return [Math.floor(wanted / total) - offset, (wanted % total) - offset].find((choice) => choice >= 0 && choice < n);
}

/** Returns all possible rows. */
export function product(levels: readonly number[]): readonly (readonly number[])[] {
  return levels.reduce<readonly (readonly number[])[]>(
    (rows, n) => rows.flatMap((row) => Array.from({ length: n }, (_, choice) => [...row, choice])),
    [[]],
  );
}

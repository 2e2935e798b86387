import { counted } from '../output/counted.ts';
import type { RankResult } from '../launch/run-kernel.ts';

/**
 * Returns the sentence on what a harness compared, such as
 * `results as expected (out: 2 ranks x 8)`. Results that differ end a run with an error before.
 * Undefined for programs without a harness.
 */
export function comparedText(results: readonly RankResult[]): string | undefined {
  if (results.every(({ compared }) => compared === undefined)) return undefined;
  /** For each allocation, the elements of each rank; a part that is compared twice counts once. */
  const allocations = new Map<string, Map<number, Map<string, number>>>();
  for (const { rank, allocation, from, count } of results.flatMap(({ compared = [] }) => compared)) {
    const ranks = allocations.get(allocation) ?? new Map<number, Map<string, number>>();
    const parts = ranks.get(rank) ?? new Map<string, number>();
    allocations.set(allocation, ranks.set(rank, parts.set(`${from}+${count}`, count)));
  }
  if (allocations.size === 0) return 'no expectation: nothing was compared';
  const texts = [...allocations].map(([name, ranks]) => `${name}: ${sizes([...ranks.values()].map(total))}`);
  return `results as expected (${texts.join(', ')})`;
}

function total(parts: ReadonlyMap<string, number>): number {
  return [...parts.values()].reduce((sum, count) => sum + count, 0);
}

/** `2 ranks x 8` if all ranks have as many elements, and `24 elements of 2 ranks` otherwise. */
function sizes(counts: readonly number[]): string {
  const ranks = counted(counts.length, 'rank');
  const [first = 0] = counts;
  if (counts.every((count) => count === first)) return `${ranks} x ${first}`;
  return `${counts.reduce((sum, count) => sum + count, 0)} elements of ${ranks}`;
}

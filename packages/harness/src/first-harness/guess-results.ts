import { at } from '@nccl-ts/core';
import {
  firstValue,
  PLANNED_COUNT,
  type LaunchPlan,
  type PlannedExpectation,
  type PlannedMemory,
} from './launch-plan.ts';
import type { FinalContents } from './planned-program.ts';

/** A result that collectives leave in memory. */
interface Pattern {
  readonly text: string;
  readonly of: (i: number, rank: number, nRanks: number) => number;
  /** True if the values do not depend on the index, so that one element may be all there is. */
  readonly isOne?: true;
}

/** A part of a result. */
interface Part {
  /** The options of `equals`, as text; absent for the whole memory. */
  readonly text?: string;
  readonly isOne?: true;
  readonly range: (rank: number, nRanks: number, count: number) => readonly [from: number, count: number];
}

const n = PLANNED_COUNT;

const patterns: readonly Pattern[] = [
  {
    text: 'sum((r) => r + (i % 8))',
    of: (i, _, nRanks) => (nRanks * (nRanks - 1)) / 2 + nRanks * (i % 8),
  },
  { text: 'sum((r) => r + i)', of: (i, _, nRanks) => (nRanks * (nRanks - 1)) / 2 + nRanks * i },
  { text: 'Math.floor(i / n) + (i % 8)', of: (i) => Math.floor(i / n) + (i % 8) },
  { text: '((rank + 1) % nRanks) + (i % 8)', of: (i, rank, nRanks) => ((rank + 1) % nRanks) + (i % 8) },
  {
    text: '((rank + nRanks - 1) % nRanks) + (i % 8)',
    of: (i, rank, nRanks) => ((rank + nRanks - 1) % nRanks) + (i % 8),
  },
  { text: '(rank + nRanks - 1) % nRanks', of: (_, rank, nRanks) => (rank + nRanks - 1) % nRanks, isOne: true },
  { text: 'sum((r) => r)', of: (_, __, nRanks) => (nRanks * (nRanks - 1)) / 2, isOne: true },
  { text: 'rank + (i % 8)', of: (i, rank) => rank + (i % 8) },
];

const parts: readonly Part[] = [
  { range: (_, __, count) => [0, count] },
  { text: '{ count: n }', range: () => [0, n] },
  { text: '{ from: rank * n, count: n }', range: (rank) => [rank * n, n] },
  {
    text: '{ from: (rank * n) / nRanks, count: n / nRanks }',
    range: (rank, nRanks) => [(rank * n) / nRanks, n / nRanks],
  },
  { text: '{ count: n / nRanks }', range: (_, nRanks) => [0, n / nRanks] },
  { text: '{ count: 1 }', isOne: true, range: () => [0, 1] },
];

/**
 * Finds the results that follow a known pattern on all ranks. Each result has the largest part that
 * follows one. Memory that still has its first contents is left out.
 */
export function guessResults(plan: LaunchPlan, results: readonly FinalContents[]): readonly PlannedExpectation[] {
  const { memory } = plan;
  const found = memory.filter(({ isResult }) => isResult).flatMap((one) => guessOf(one, results) ?? []);
  // A copy of the own input matters only if there is no other result. Neither does memory that
  // peers write, because it may hold what only one launch needs.
  const isCopy = ({ values }: PlannedExpectation): boolean => values === 'rank + (i % 8)';
  const others = withoutSome(withoutSome(found, isCopy), ({ memory: name }) => isOfPeers(plan, name));
  if (others.length > 0) return others;
  // Flags of a barrier that are as they were.
  if (memory.some(({ isResult }) => isResult)) return [];
  const flags = memory.filter(({ isSynchronizing }) => isSynchronizing);
  return flags.length > 0 &&
    flags.every(({ name }) => results.every((one) => (one.get(name) ?? []).every((value) => Number(value) === 0)))
    ? flags.map(({ name }) => ({ memory: name, values: '0' }))
    : [];
}

/** The items without some, unless these are all. */
function withoutSome<T>(items: readonly T[], isLeftOut: (one: T) => boolean): readonly T[] {
  const others = items.filter((one) => !isLeftOut(one));
  return others.length > 0 ? others : items;
}

/** True if peers get pointers to a memory. */
function isOfPeers({ memory, args }: LaunchPlan, name: string): boolean {
  return (
    memory.some(({ fill }) => typeof fill === 'object' && fill.peersOf === name) ||
    args.some(({ text }) => text.includes(`peers(${name})`))
  );
}

function guessOf({ name, fill }: PlannedMemory, results: readonly FinalContents[]): PlannedExpectation | undefined {
  const nRanks = results.length;
  for (const part of parts) {
    for (const { text, of, isOne } of patterns) {
      if (part.isOne === true && isOne !== true) continue;
      const isOwnInput = fill === 'input' && text === 'rank + (i % 8)';
      if (isOwnInput) continue;
      const holds = results.every((contents, rank) => {
        const values = contents.get(name) ?? [];
        const [from, count] = part.range(rank, nRanks, values.length);
        if (!Number.isInteger(from) || !Number.isInteger(count) || from + count > values.length || count === 0)
          return false;
        // If other elements have changed too, the pattern holds for the first by chance.
        if (part.isOne === true && !values.every((value, i) => i === 0 || Number(value) === firstValue(fill, i, rank)))
          return false;
        return Array.from({ length: count }, (_, i) => from + i).every(
          (i) => Number(at(values, i)) === of(i, rank, nRanks),
        );
      });
      if (holds) return { memory: name, values: text, ...(part.text === undefined ? {} : { options: part.text }) };
    }
  }
  return undefined;
}

import { at } from '@nccl-ts/core';
import {
  algorithmFacts,
  algorithmsOf,
  collectiveNames,
  collectiveShapes,
  type Algorithm,
  type CollectiveName,
} from '@nccl-ts/collectives';
import type { WorldShape } from '../world-shape.ts';
import type { ReductionText } from './reduction-text.ts';
import { pairwise, product } from './pairwise.ts';

/** A call of a collective on every rank of a world, with its arguments. */
export interface CollectiveCase extends WorldShape {
  readonly id: string;
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  readonly element: CollectiveElement;
  readonly op: ReductionText;
  readonly inPlace: boolean;
  /** The number of elements, as the collective counts them. */
  readonly count: number;
  /**
   * The index of the first element used in a window. If `send` and `recv` are different windows,
   * their indices differ.
   */
  readonly offset: number;
}

export const collectiveElements = [
  'i8',
  'u8',
  'i32',
  'u32',
  'i64',
  'u64',
  'f16',
  'bf16',
  'f32',
  'f64',
  'e4m3',
  'e5m2',
] as const;
export type CollectiveElement = (typeof collectiveElements)[number];

const operators: readonly ReductionText[] = ['sum', 'prod', 'min', 'max', 'avg', 'preMulSum'];
const noOperator: readonly ReductionText[] = ['none'];
const ranks = [1, 2, 3, 4, 5, 7, 8, 16] as const;
/**
 * Zero, one, less and more than a line of 16 bytes, more than a line per rank, and enough for all
 * threads.
 */
const counts = [0, 1, 13, 127, 2053] as const;
const offsets = [0, 1, 16] as const;

function casesOf(
  collective: CollectiveName,
  rowsOf: (levels: readonly number[]) => readonly (readonly number[])[],
): readonly CollectiveCase[] {
  const algorithms = algorithmsOf[collective];
  const ops = collectiveShapes[collective].reduces ? operators : noOperator;
  const inPlace = collective === 'allToAll' ? [false] : [false, true];
  const rows = rowsOf([
    algorithms.length,
    collectiveElements.length,
    ops.length,
    inPlace.length,
    ranks.length,
    counts.length,
    offsets.length,
  ]);
  const made = rows.map(([a = 0, e = 0, o = 0, p = 0, r = 0, c = 0, f = 0]): CollectiveCase => {
    const choice = {
      collective,
      algorithm: algorithms[a] ?? 'direct',
      element: collectiveElements[e] ?? 'f32',
      op: ops[o] ?? 'none',
      inPlace: inPlace[p] ?? false,
      ranks: ranks[r] ?? 1,
      lsaSize: lsaSizeOf(algorithms[a], ranks[r] ?? 1),
      count: at(counts, c),
      offset: at(offsets, f),
    };
    return { ...choice, id: idOf(choice) };
  });
  return made.filter(isPossible);
}

function idOf(choice: Omit<CollectiveCase, 'id'>): string {
  const { collective, algorithm, element, op, inPlace, ranks: n, lsaSize, count, offset } = choice;
  return [
    collective,
    algorithm,
    element,
    op,
    inPlace ? 'in-place' : 'apart',
    lsaSize === n ? `${n}r` : `${n}r of ${lsaSize}`,
    `${count}+${offset}`,
  ].join('/');
}

/** Domains of several ranks if possible, and of one rank if the number is odd. */
function lsaSizeOf(algorithm: Algorithm | undefined, n: number): number {
  if (algorithm === undefined || !algorithmFacts[algorithm].spansDomains) return n;
  return n % 4 === 0 ? n / (n > 8 ? 4 : 2) : 1;
}

/**
 * A world of one rank may request any algorithm for one domain. The collective then runs its first
 * one.
 */
function isPossible({ algorithm, element, inPlace, op, ranks: nRanks, lsaSize }: CollectiveCase): boolean {
  const { spansDomains, obstacle } = algorithmFacts[algorithm];
  if (spansDomains && nRanks === 1) return false;
  // An obstacle that exists only for one rank does not count against the algorithm.
  const others = Math.max(2, nRanks);
  const requested = { element, inPlace, op: op === 'none' ? undefined : op };
  return obstacle({ ...requested, nRanks: others, lsaSize: nRanks === 1 ? others : lsaSize }) === undefined;
}

function all(rowsOf: (levels: readonly number[]) => readonly (readonly number[])[]): readonly CollectiveCase[] {
  return collectiveNames.flatMap((name) => casesOf(name, rowsOf));
}

/** Pairwise cases: every pair of choices of two parameters occurs in some case. */
export function pairwiseCollectiveCases(): readonly CollectiveCase[] {
  return all(pairwise);
}

/** All combinations, which are many thousands. */
export function everyCollectiveCase(): readonly CollectiveCase[] {
  return all(product);
}

import type { WorldShape } from '../../world-shape.ts';
import { count } from '../fixture/numbers.ts';

/** The teams around a rank, as lists of world ranks. */
export interface RankTeams {
  readonly rank: number;
  readonly lsaSize: number;
  readonly world: readonly number[];
  /** The rank's load-store domain. */
  readonly near: readonly number[];
  /** The ranks with the same index in their domains. */
  readonly rail: readonly number[];
  /** The block of `size` neighbours in `team` that contains the rank. */
  readonly block: (team: readonly number[], size: number) => readonly number[];
  /** The members with the rank's index in each block of `size` neighbours. */
  readonly across: (team: readonly number[], size: number) => readonly number[];
}

export function teamsOf({ ranks, lsaSize }: WorldShape, rank: number): RankTeams {
  const world = count(ranks);
  const chunks = (team: readonly number[], size: number): readonly (readonly number[])[] =>
    count(team.length / size).map((i) => team.slice(i * size, (i + 1) * size));
  const block = (team: readonly number[], size: number): readonly number[] =>
    chunks(team, size).find((chunk) => chunk.includes(rank)) ?? [];
  const across = (team: readonly number[], size: number): readonly number[] => {
    const place = block(team, size).indexOf(rank);
    return chunks(team, size).flatMap((chunk) => chunk.slice(place, place + 1));
  };
  return { rank, lsaSize, world, near: block(world, lsaSize), rail: across(world, lsaSize), block, across };
}

import { expectInteger, NcclError } from '@nccl-ts/core';

/**
 * The load-store domains of a communicator: `nLsaTeams` domains of `lsaSize` consecutive ranks. The
 * ranks with the same LSA rank in every domain are a rail. Frozen, JSON-serialisable.
 */
export interface Topology {
  readonly nRanks: number;
  readonly lsaSize: number;
  readonly nLsaTeams: number;
}

export interface TopologyOptions {
  readonly ranks: number;
  /** The number of ranks of a load-store domain, a divisor of `ranks`. @default `ranks` */
  readonly lsaSize?: number;
}

/** The position of a rank. A device communicator has the same fields. */
export interface RankCoordinates {
  readonly rank: number;
  readonly nRanks: number;
  /** The rank's index in its load-store domain. */
  readonly lsaRank: number;
  readonly lsaSize: number;
}

/** NCCL counts ranks in C ints. */
const mostRanks = 2 ** 31 - 1;

/**
 * Makes a topology of `ranks` ranks.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if a number is not a positive integer, or if `lsaSize`
 * does not divide `ranks`.
 */
export function createTopology(options: TopologyOptions): Topology {
  const nRanks = expectInteger('ranks', options.ranks, 1, mostRanks);
  const lsaSize = expectInteger('lsaSize', options.lsaSize ?? nRanks, 1, mostRanks);
  if (nRanks % lsaSize !== 0) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `lsaSize must divide the number of ranks; given lsaSize ${lsaSize} and ${nRanks} ranks.`,
      { details: { what: 'lsaSize', given: lsaSize, ranks: nRanks } },
    );
  }
  return Object.freeze({ nRanks, lsaSize, nLsaTeams: nRanks / lsaSize });
}

/**
 * The LSA size that NCCL chooses for ranks that are numbered node by node. It is the greatest
 * common divisor of the numbers of consecutive ranks on the nodes. A node that appears twice in the
 * order counts twice.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for an empty list, or for a count that is not a
 * positive integer.
 */
export function lsaSizeOfNodes(counts: readonly number[]): number {
  if (counts.length === 0) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', 'counts must name at least one node; given an empty array.');
  }
  return counts.reduce((size, count, node) => gcd(size, expectInteger(`counts[${node}]`, count, 1, mostRanks)), 0);
}

/**
 * The position of `rank`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the topology has no such rank.
 */
export function rankCoordinates(topology: Topology, rank: number): RankCoordinates {
  const { nRanks, lsaSize } = topology;
  expectInteger('rank', rank, 0, nRanks - 1);
  return Object.freeze({ rank, nRanks, lsaRank: rank % lsaSize, lsaSize });
}

/**
 * The index of the rank's load-store domain, from 0 to `nLsaTeams` - 1.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the topology has no such rank.
 */
export function lsaTeamIndex(topology: Topology, rank: number): number {
  return Math.trunc(expectInteger('rank', rank, 0, topology.nRanks - 1) / topology.lsaSize);
}

function gcd(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

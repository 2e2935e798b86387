import { expectInteger, NcclError } from '@nccl-ts/core';
import { rankCoordinates } from './topology.ts';
import type { Topology } from './topology.ts';

/**
 * Some ranks of a communicator, from the view of one of them. There are `nRanks` ranks, `stride`
 * world ranks apart, and the viewing rank has index `rank`. Values are frozen. For the same rank,
 * equal fields mean equal teams.
 *
 * @see ncclTeam
 */
export interface Team {
  readonly nRanks: number;
  readonly rank: number;
  readonly stride: number;
}

const largestInt = 2 ** 31 - 1;

/**
 * Makes a team of any shape. A negative stride counts world ranks downwards. The call does not
 * check that the members exist.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `nRanks` is not positive, `rank` is not an index
 *   below it, or `stride` is 0.
 */
export function createTeam(nRanks: number, rank: number, stride: number): Team {
  expectInteger('nRanks of a team', nRanks, 1, largestInt);
  expectInteger('rank of a team', rank, 0, nRanks - 1);
  expectInteger('stride of a team', stride, -largestInt, largestInt);
  if (stride === 0) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', 'stride of a team must not be 0; given 0.', {
      details: { what: 'stride of a team', given: 0 },
    });
  }
  return Object.freeze({ nRanks, rank, stride });
}

/**
 * The team of all ranks, from the view of `rank`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the topology has no such rank.
 * @see ncclTeamWorld
 */
export function teamWorld(topology: Topology, rank: number): Team {
  const coordinates = rankCoordinates(topology, rank);
  return createTeam(coordinates.nRanks, coordinates.rank, 1);
}

/**
 * The ranks whose memory `rank` can load and store, including itself.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the topology has no such rank.
 * @see ncclTeamLsa
 */
export function teamLsa(topology: Topology, rank: number): Team {
  const coordinates = rankCoordinates(topology, rank);
  return createTeam(coordinates.lsaSize, coordinates.lsaRank, 1);
}

/**
 * The ranks with the same LSA rank as `rank` in every load-store domain.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the topology has no such rank.
 * @see ncclTeamRail
 */
export function teamRail(topology: Topology, rank: number): Team {
  return teamOuterFactor(teamWorld(topology, rank), topology.lsaSize);
}

/**
 * The block of `innerSize` neighbours in `parent` that contains the viewing rank.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `innerSize` does not divide the parent's size (NCCL
 * does not check).
 * @see ncclTeamInnerFactor
 */
export function teamInnerFactor(parent: Team, innerSize: number): Team {
  expectFactor(parent, innerSize);
  return createTeam(innerSize, parent.rank % innerSize, parent.stride);
}

/**
 * The members of `parent` that have this rank's position in their block of `innerSize` neighbours.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `innerSize` does not divide the parent's size (NCCL
 *   does not check).
 * @see ncclTeamOuterFactor
 */
export function teamOuterFactor(parent: Team, innerSize: number): Team {
  expectFactor(parent, innerSize);
  return createTeam(parent.nRanks / innerSize, Math.trunc(parent.rank / innerSize), parent.stride * innerSize);
}

function expectFactor(parent: Team, innerSize: number): void {
  expectInteger('innerSize', innerSize, 1, parent.nRanks);
  if (parent.nRanks % innerSize !== 0) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `innerSize must divide the team's size; given ${innerSize} and a team of ${parent.nRanks}.`,
      { details: { what: 'innerSize', given: innerSize, nRanks: parent.nRanks } },
    );
  }
}

import * as fc from 'fast-check';
import { createTopology, teamInnerFactor, teamOuterFactor, teamRankToWorld, teamWorld } from '@nccl-ts/topology';
import type { Team, Topology } from '@nccl-ts/topology';

interface Seen {
  readonly topology: Topology;
  readonly rank: number;
}

export const seen: fc.Arbitrary<Seen> = fc
  .record({ lsaSize: fc.integer({ min: 1, max: 9 }), teams: fc.integer({ min: 1, max: 7 }), at: fc.nat() })
  .map(({ lsaSize, teams, at }) => ({
    topology: createTopology({ ranks: lsaSize * teams, lsaSize }),
    rank: at % (lsaSize * teams),
  }));

export function factors(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1).filter((k) => n % k === 0);
}

/** Teams that contain `rank`: world, or its inner and outer factors. */
export function teamsOf({ topology, rank }: Seen): Team[] {
  const world = teamWorld(topology, rank);
  return factors(world.nRanks).flatMap((k) => {
    const inner = teamInnerFactor(world, k);
    return [inner, teamOuterFactor(world, k), ...factors(k).map((j) => teamOuterFactor(inner, j))];
  });
}

/** The world ranks of a team, in the order of their indices. */
export function members({ rank }: Seen, team: Team): number[] {
  return Array.from({ length: team.nRanks }, (_, peer) => teamRankToWorld({ rank }, team, peer));
}

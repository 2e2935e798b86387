import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNcclError } from '@nccl-ts/core';
import {
  createTeam,
  createTopology,
  groupTopology,
  lsaSizeOfNodes,
  lsaTeamIndex,
  rankCoordinates,
  teamInnerFactor,
  teamLsa,
  teamOuterFactor,
  teamRail,
  teamRankInDifference,
  teamRankIsMember,
  teamRankToLsa,
  teamRankToTeam,
  teamRankToWorld,
  teamWorld,
} from '@nccl-ts/topology';
import { factors, members, seen, teamsOf } from './support/topology.ts';

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

function expectRefusal(action: () => unknown, message: string): void {
  const error = errorOf(action);
  expect(isNcclError(error, 'NCCL_INVALID_ARGUMENT')).toBe(true);
  expect(error).toMatchObject({ message });
}

const options = { seed: 4, numRuns: 150 };

describe('createTopology', () => {
  it('divides the ranks into load-store domains', () => {
    const topology = createTopology({ ranks: 16, lsaSize: 8 });
    expect(topology).toEqual({ nRanks: 16, lsaSize: 8, nLsaTeams: 2 });
    expect(Object.isFrozen(topology)).toBe(true);
    expect(createTopology({ ranks: 4 })).toEqual({ nRanks: 4, lsaSize: 4, nLsaTeams: 1 });
  });

  it('refuses sizes that do not divide the ranks', () => {
    expectRefusal(
      () => createTopology({ ranks: 6, lsaSize: 4 }),
      'lsaSize must divide the number of ranks; given lsaSize 4 and 6 ranks.',
    );
    expectRefusal(() => createTopology({ ranks: 0 }), 'ranks must be an integer from 1 to 2147483647; given 0.');
    expectRefusal(
      () => createTopology({ ranks: 2, lsaSize: 0.5 }),
      'lsaSize must be an integer from 1 to 2147483647; given 0.5.',
    );
  });
});

describe('lsaSizeOfNodes', () => {
  it("returns the greatest common divisor of the nodes' sizes", () => {
    expect(lsaSizeOfNodes([8, 8, 8])).toBe(8);
    expect(lsaSizeOfNodes([8, 4, 6])).toBe(2);
    expect(lsaSizeOfNodes([3, 4])).toBe(1);
    expect(lsaSizeOfNodes([5])).toBe(5);
  });

  it('refuses no nodes, and empty nodes', () => {
    expectRefusal(() => lsaSizeOfNodes([]), 'counts must name at least one node; given an empty array.');
    expectRefusal(() => lsaSizeOfNodes([4, 0]), 'counts[1] must be an integer from 1 to 2147483647; given 0.');
  });

  it('gives a valid topology', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 1, maxLength: 6 }), (counts) => {
        const ranks = counts.reduce((a, b) => a + b);
        expect(createTopology({ ranks, lsaSize: lsaSizeOfNodes(counts) }).nRanks).toBe(ranks);
      }),
      options,
    );
  });
});

describe('the predefined teams', () => {
  it('are those of NCCL', () => {
    const topology = createTopology({ ranks: 12, lsaSize: 4 });
    expect(teamWorld(topology, 6)).toEqual({ nRanks: 12, rank: 6, stride: 1 });
    expect(teamLsa(topology, 6)).toEqual({ nRanks: 4, rank: 2, stride: 1 });
    expect(teamRail(topology, 6)).toEqual({ nRanks: 3, rank: 1, stride: 4 });
    expect(rankCoordinates(topology, 6)).toEqual({ rank: 6, nRanks: 12, lsaRank: 2, lsaSize: 4 });
    expect(lsaTeamIndex(topology, 6)).toBe(1);
    expect(Object.isFrozen(teamRail(topology, 6))).toBe(true);
  });

  it('have the members that their names say', () => {
    fc.assert(
      fc.property(seen, (at) => {
        const { topology, rank } = at;
        const all = Array.from({ length: topology.nRanks }, (_, r) => r);
        expect(members(at, teamWorld(topology, rank))).toEqual(all);
        expect(members(at, teamLsa(topology, rank))).toEqual(
          all.filter((r) => lsaTeamIndex(topology, r) === lsaTeamIndex(topology, rank)),
        );
        expect(members(at, teamRail(topology, rank))).toEqual(
          all.filter((r) => rankCoordinates(topology, r).lsaRank === rankCoordinates(topology, rank).lsaRank),
        );
      }),
      options,
    );
  });

  it('refuse ranks outside of the topology', () => {
    const topology = createTopology({ ranks: 4 });
    for (const team of [teamWorld, teamLsa, teamRail, lsaTeamIndex]) {
      expectRefusal(() => team(topology, 4), 'rank must be an integer from 0 to 3; given 4.');
    }
  });
});

describe('teamInnerFactor and teamOuterFactor', () => {
  it('split a team into blocks and across them', () => {
    const parent = createTeam(12, 7, 2);
    expect(teamInnerFactor(parent, 4)).toEqual({ nRanks: 4, rank: 3, stride: 2 });
    expect(teamOuterFactor(parent, 4)).toEqual({ nRanks: 3, rank: 1, stride: 8 });
  });

  it('share only the given rank, and together cover the parent', () => {
    fc.assert(
      fc.property(seen, fc.nat(), (at, pick) => {
        const world = teamWorld(at.topology, at.rank);
        const sizes = factors(world.nRanks);
        const k = sizes[pick % sizes.length] ?? 1;
        const inner = members(at, teamInnerFactor(world, k));
        const outer = members(at, teamOuterFactor(world, k));
        expect(inner.filter((rank) => outer.includes(rank))).toEqual([at.rank]);
        const sums = outer.flatMap((o) => inner.map((i) => o + i - at.rank)).sort((a, b) => a - b);
        expect(sums).toEqual(members(at, world));
      }),
      options,
    );
  });

  it('refuse sizes that do not divide', () => {
    const team = createTeam(6, 0, 1);
    for (const factor of [teamInnerFactor, teamOuterFactor]) {
      expectRefusal(() => factor(team, 4), "innerSize must divide the team's size; given 4 and a team of 6.");
      expectRefusal(() => factor(team, 0), 'innerSize must be an integer from 1 to 6; given 0.');
    }
  });
});

describe('createTeam', () => {
  it('refuses impossible teams', () => {
    expectRefusal(() => createTeam(0, 0, 1), 'nRanks of a team must be an integer from 1 to 2147483647; given 0.');
    expectRefusal(() => createTeam(2, 2, 1), 'rank of a team must be an integer from 0 to 1; given 2.');
    expectRefusal(() => createTeam(2, 1, 0), 'stride of a team must not be 0; given 0.');
  });
});

describe('conversions between teams', () => {
  it('are inverse to each other if both teams contain the rank', () => {
    fc.assert(
      fc.property(seen, ({ topology, rank }) => {
        const world = teamWorld(topology, rank);
        for (const team of [teamLsa(topology, rank), teamRail(topology, rank)]) {
          for (let peer = 0; peer < team.nRanks; peer++) {
            expect(teamRankToTeam(team, world, teamRankToTeam(world, team, peer))).toBe(peer);
            expect(teamRankToTeam(world, team, peer)).toBe(teamRankToWorld({ rank }, team, peer));
          }
        }
      }),
      options,
    );
  });

  it('work for strides that count downwards', () => {
    // Rank 5 of 8: {7, 5, 3, 1}, itself at index 1.
    const down = createTeam(4, 1, -2);
    const world = createTeam(8, 5, 1);
    expect([0, 1, 2, 3].map((peer) => teamRankToWorld({ rank: 5 }, down, peer))).toEqual([7, 5, 3, 1]);
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((peer) => teamRankIsMember(down, world, peer))).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect([7, 5, 3, 1].map((peer) => teamRankToTeam(down, world, peer))).toEqual([0, 1, 2, 3]);
  });

  it('return LSA ranks', () => {
    fc.assert(
      fc.property(seen, ({ topology, rank }) => {
        const place = rankCoordinates(topology, rank);
        const lsa = teamLsa(topology, rank);
        const world = teamWorld(topology, rank);
        for (let peer = 0; peer < lsa.nRanks; peer++) expect(teamRankToLsa(place, lsa, peer)).toBe(peer);
        for (let peer = 0; peer < world.nRanks; peer++) {
          const lsaRank = teamRankToLsa(place, world, peer);
          expect(lsaRank >= 0 && lsaRank < lsa.nRanks).toBe(teamRankIsMember(lsa, world, peer));
        }
      }),
      options,
    );
  });
});

describe('teamRankInDifference', () => {
  it('lists the members of the parent that the subset lacks, in order', () => {
    fc.assert(
      fc.property(seen, (at) => {
        const world = teamWorld(at.topology, at.rank);
        for (const subset of teamsOf(at)) {
          const inside = members(at, subset);
          const outside = members(at, world).filter((rank) => !inside.includes(rank));
          expect(outside.map((_, index) => teamRankInDifference(world, subset, index))).toEqual(outside);
        }
      }),
      { seed: 6, numRuns: 40 },
    );
  });

  it('supports a subset that counts downwards', () => {
    const world = createTeam(8, 5, 1);
    const down = createTeam(3, 1, -2);
    expect([0, 1, 2, 3, 4].map((index) => teamRankInDifference(world, down, index))).toEqual([0, 1, 2, 4, 6]);
  });
});

describe('groupTopology', () => {
  const world = createTopology({ ranks: 8, lsaSize: 4 });

  it.each([
    [[0, 1, 4, 5], 2],
    [[0, 2, 4, 6, 7], 1],
    [[3, 2, 1, 0], 4],
    [[0, 4, 1, 5], 1],
    [[4, 5, 6, 7, 0, 1, 2, 3], 4],
    [[6], 1],
  ])('divides the group %j into domains of %i ranks', (members, lsaSize) => {
    expect(groupTopology(world, members)).toEqual(createTopology({ ranks: members.length, lsaSize }));
  });

  it('requires ranks of the world', () => {
    expect(() => groupTopology(world, [0, 8])).toThrow(/rank/);
    expect(() => groupTopology(world, [])).toThrow(/at least one node/);
  });
});

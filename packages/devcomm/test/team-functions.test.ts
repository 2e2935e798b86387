import {
  devComm,
  team,
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
} from '@nccl-ts/devcomm';
import { evaluateConstant, normalise, specialise, type Module, type ScalarValue } from '@nccl-ts/ir';
import { i32, kernel, ptr, type Kernel } from '@nccl-ts/kernel';
import * as host from '@nccl-ts/topology';
import type { Team, Topology } from '@nccl-ts/topology';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

type Compiled = Pick<Kernel, 'compile'>;

/** One rank of a topology, and the values of its `DevComm`. */
interface Seen {
  readonly topology: Topology;
  readonly rank: number;
}

const seen: fc.Arbitrary<Seen> = fc
  .record({ lsaSize: fc.integer({ min: 1, max: 9 }), domains: fc.integer({ min: 1, max: 7 }), at: fc.nat() })
  .map(({ lsaSize, domains, at }) => ({
    topology: host.createTopology({ ranks: lsaSize * domains, lsaSize }),
    rank: at % (lsaSize * domains),
  }));

/** A team of any stride around the rank that sees it. */
const anyTeam: fc.Arbitrary<Team> = fc
  .record({ nRanks: fc.integer({ min: 1, max: 12 }), at: fc.nat(), stride: fc.integer({ min: -6, max: 6 }) })
  .filter(({ stride }) => stride !== 0)
  .map(({ nRanks, at, stride }) => host.createTeam(nRanks, at % nRanks, stride));

/**
 * Returns the values that a kernel with these parameters stores to `out[0]`, `out[1]`, .... It
 * computes them from the IR alone, with the parameters and the fields of `comm` as constants.
 */
function results(of: Compiled, scalars: Readonly<Record<string, number>>, place?: Seen): readonly ScalarValue[] {
  const module = of.compile();
  const { rank, nRanks, lsaRank, lsaSize } =
    place === undefined ? noPlace : host.rankCoordinates(place.topology, place.rank);
  const fields: Readonly<Record<string, number>> = { rank, nRanks, lsaRank, lsaSize };
  const known = specialise(module, {
    params: (index) => scalars[module.params[index]?.name ?? ''],
    fields: (_param, field) => fields[field],
  });
  // A call includes its meaning as a body.
  const body = known.body.flatMap((statement) => (statement.kind === 'call' ? (statement.body ?? []) : [statement]));
  return storesOf(normalise({ ...known, body }));
}

const noPlace = { rank: 0, nRanks: 1, lsaRank: 0, lsaSize: 1 };

function storesOf(module: Module): readonly ScalarValue[] {
  return module.body.map((statement) => {
    const value = statement.kind === 'store' ? evaluateConstant(statement.value)?.[0] : undefined;
    if (value === undefined) throw new Error(`not a store of a constant: ${statement.kind}`);
    return value;
  });
}

const flat = (name: string, { nRanks, rank, stride }: Team): Readonly<Record<string, number>> => ({
  [`${name}.nRanks`]: nRanks,
  [`${name}.rank`]: rank,
  [`${name}.stride`]: stride,
});

const numbers = ({ nRanks, rank, stride }: Team): readonly number[] => [nRanks, rank, stride];
const runs = { seed: 20_261_120, numRuns: inject('slow') ? 300 : 60 };

describe('the teams of a communicator', () => {
  const of: Compiled = kernel(
    { name: 'teams', use: { teamWorld, teamLsa, teamRail }, params: { comm: devComm, out: ptr(i32) } },
    ({ teamWorld, teamLsa, teamRail }, { comm, out }) => {
      const world = teamWorld(comm);
      out[0] = world.nRanks;
      out[1] = world.rank;
      out[2] = world.stride;
      const lsa = teamLsa(comm);
      out[3] = lsa.nRanks;
      out[4] = lsa.rank;
      out[5] = lsa.stride;
      const rail = teamRail(comm);
      out[6] = rail.nRanks;
      out[7] = rail.rank;
      out[8] = rail.stride;
    },
  );

  it("equal the host's teams", () => {
    fc.assert(
      fc.property(seen, (place) => {
        const { topology, rank } = place;
        const expected = [host.teamWorld(topology, rank), host.teamLsa(topology, rank), host.teamRail(topology, rank)];
        expect(results(of, {}, place)).toEqual(expected.flatMap(numbers));
      }),
      runs,
    );
  });
});

describe('ranks of a team', () => {
  const of: Compiled = kernel(
    {
      name: 'ranks',
      use: { teamRankToWorld, teamRankToLsa },
      params: { comm: devComm, t: team, peer: i32, out: ptr(i32) },
    },
    ({ teamRankToWorld, teamRankToLsa }, { comm, t, peer, out }) => {
      out[0] = teamRankToWorld(comm, t, peer);
      out[1] = teamRankToLsa(comm, t, peer);
    },
  );

  it("equal the host's world and LSA ranks, outside the team too", () => {
    fc.assert(
      fc.property(seen, anyTeam, fc.integer({ min: -20, max: 20 }), (place, t, peer) => {
        const at = host.rankCoordinates(place.topology, place.rank);
        expect(results(of, { ...flat('t', t), peer }, place)).toEqual([
          host.teamRankToWorld(at, t, peer),
          host.teamRankToLsa(at, t, peer),
        ]);
      }),
      runs,
    );
  });
});

describe('ranks of one team in another', () => {
  const of: Compiled = kernel(
    {
      name: 'members',
      use: { teamRankIsMember, teamRankToTeam },
      params: { a: team, b: team, peer: i32, out: ptr(i32) },
    },
    ({ i32, teamRankIsMember, teamRankToTeam }, { a, b, peer, out }) => {
      out[0] = i32(teamRankIsMember(a, b, peer));
      out[1] = teamRankToTeam(a, b, peer);
    },
  );

  it("equal the host's, also for negative and uneven strides", () => {
    fc.assert(
      fc.property(anyTeam, anyTeam, fc.integer({ min: -20, max: 20 }), (a, b, peer) => {
        // The host's -0 is 0 as an integer.
        const index = host.teamRankToTeam(a, b, peer) + 0;
        expect(results(of, { ...flat('a', a), ...flat('b', b), peer })).toEqual([
          Number(host.teamRankIsMember(a, b, peer)),
          index,
        ]);
      }),
      { ...runs, numRuns: 2 * runs.numRuns },
    );
  });
});

describe('factors of a team', () => {
  const of: Compiled = kernel(
    {
      name: 'factors',
      use: { teamInnerFactor, teamOuterFactor },
      params: { t: team, size: i32, out: ptr(i32) },
    },
    ({ teamInnerFactor, teamOuterFactor }, { t, size, out }) => {
      const inner = teamInnerFactor(t, size);
      out[0] = inner.nRanks;
      out[1] = inner.rank;
      out[2] = inner.stride;
      const outer = teamOuterFactor(t, size);
      out[3] = outer.nRanks;
      out[4] = outer.rank;
      out[5] = outer.stride;
    },
  );

  it("equal the host's factors", () => {
    const factored = fc
      .record({ inner: fc.integer({ min: 1, max: 8 }), outer: fc.integer({ min: 1, max: 8 }), at: fc.nat() })
      .map(({ inner, outer, at }) => ({ inner, parent: host.createTeam(inner * outer, at % (inner * outer), 3) }));
    fc.assert(
      fc.property(factored, ({ inner, parent }) => {
        const expected = [host.teamInnerFactor(parent, inner), host.teamOuterFactor(parent, inner)];
        expect(results(of, { ...flat('t', parent), size: inner })).toEqual(expected.flatMap(numbers));
      }),
      runs,
    );
  });
});

describe('ranks of a team that are outside a part of it', () => {
  const of: Compiled = kernel(
    {
      name: 'difference',
      use: { teamRankInDifference },
      params: { parent: team, subset: team, index: i32, out: ptr(i32) },
    },
    ({ teamRankInDifference }, { parent, subset, index, out }) => {
      out[0] = teamRankInDifference(parent, subset, index);
    },
  );

  it('are counted as on the host, and a part without gaps does not cause a division by zero', () => {
    const parts = fc
      .record({
        nRanks: fc.integer({ min: 1, max: 5 }),
        step: fc.integer({ min: 1, max: 4 }),
        down: fc.boolean(),
        before: fc.integer({ min: 0, max: 4 }),
        after: fc.integer({ min: 1, max: 4 }),
        at: fc.nat(),
        stride: fc.constantFrom(1, 2, -1, 5),
        pick: fc.nat(),
      })
      .map(({ nRanks, step, down, before, after, at, stride, pick }) => {
        const inside = at % nRanks;
        const size = before + (nRanks - 1) * step + 1 + after;
        // In the parent's indices the part is before, before + step, and so on, counted from the
        // other end if it is descending.
        const first = before + (down ? (nRanks - 1 - inside) * step : inside * step);
        const parent = host.createTeam(size, first, stride);
        const subset = host.createTeam(nRanks, inside, (down ? -step : step) * stride);
        return { parent, subset, index: pick % (size - nRanks) };
      });
    fc.assert(
      fc.property(parts, ({ parent, subset, index }) => {
        const expected = host.teamRankInDifference(parent, subset, index);
        expect(results(of, { ...flat('parent', parent), ...flat('subset', subset), index })).toEqual([expected]);
      }),
      { ...runs, numRuns: 2 * runs.numRuns },
    );
  });
});

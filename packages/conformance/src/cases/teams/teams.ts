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
  window,
  type DevCommArg,
  type WindowArg,
} from '@nccl-ts/devcomm';
import { i32, kernel, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Team } from '@nccl-ts/topology';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { count } from '../fixture/numbers.ts';
import { teamsOf, type RankTeams } from './rank-teams.ts';

/*
 * On the host a team is the list of its members' world ranks, and every function is computed from
 * such lists. So the test does not repeat NCCL's formulas.
 */

const ranks = [1, 2, 4, 6, 8];
const lsaSizes = [1, 2, 3, 4, 8];

type TeamKernel = Kernel<{ readonly comm: DevCommArg; readonly out: WindowArg }>;

/** A case whose kernel writes one row of numbers per rank. */
function teamCase<const Id extends string>(definition: {
  readonly id: Id;
  readonly mirrors: string;
  readonly kernel: TeamKernel;
  readonly row: (teams: RankTeams) => readonly number[];
}): Case<Id> {
  const { id, mirrors, kernel: one, row } = definition;
  return defineCase({
    id,
    mirrors,
    ranks,
    lsaSizes,
    kernels: [one],
    run: async ({ shape, run }) => {
      await run(async (comm) => {
        const expected = row(teamsOf(shape, comm.rank));
        const out = await comm.allocWindow('i32', Math.max(1, expected.length));
        await out.write(new Int32Array(Math.max(1, expected.length)).fill(-77));
        const dev = await comm.createDevComm();
        await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, out });
        const written = await out.read();
        expectValues(`row of rank ${comm.rank}`, written.subarray(0, expected.length), expected);
      });
    },
  });
}

const params = { comm: devComm, out: window };

function fields(world: readonly number[], self: number, stride: number): readonly number[] {
  return [world.length, world.indexOf(self), stride];
}

const ofComm = kernel(
  { name: 'teamsOfComm', use: { lsa, teamWorld, teamLsa, teamRail }, params },
  ({ lsa, teamWorld, teamLsa, teamRail, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const world = teamWorld(comm);
    const near = teamLsa(comm);
    const rail = teamRail(comm);
    o.store(0, world.nRanks);
    o.store(1, world.rank);
    o.store(2, world.stride);
    o.store(3, near.nRanks);
    o.store(4, near.rank);
    o.store(5, near.stride);
    o.store(6, rail.nRanks);
    o.store(7, rail.rank);
    o.store(8, rail.stride);
  },
);

export const teamsOfComm: Case<'teams/world-lsa-rail'> = teamCase({
  id: 'teams/world-lsa-rail',
  mirrors: 'ncclTeamWorld, ncclTeamLsa, ncclTeamRail',
  kernel: ofComm,
  row: ({ world, near, rail, rank, lsaSize }) => [
    ...fields(world, rank, 1),
    ...fields(near, rank, 1),
    ...fields(rail, rank, lsaSize),
  ],
});

const fieldsOfComm = kernel({ name: 'fieldsOfComm', use: { lsa }, params }, ({ lsa, i32 }, { comm, out }) => {
  const o = lsa.localPointer(out, i32, 0);
  o.store(0, comm.rank);
  o.store(1, comm.nRanks);
  o.store(2, comm.lsaRank);
  o.store(3, comm.lsaSize);
  o.store(4, out.lsaRank);
  o.store(5, out.worldRank);
  o.store(6, comm.lsaMultimem.mcBasePtr === 0 ? 0 : 1);
});

export const devCommFields: Case<'teams/dev-comm-fields'> = teamCase({
  id: 'teams/dev-comm-fields',
  mirrors: 'ncclDevComm',
  kernel: fieldsOfComm,
  row: ({ world, near, rank }) => [rank, world.length, near.indexOf(rank), near.length, near.indexOf(rank), rank, 0],
});

const inner = kernel(
  { name: 'innerFactor', use: { lsa, teamWorld, teamInnerFactor }, params },
  ({ lsa, teamWorld, teamInnerFactor, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const world = teamWorld(comm);
    for (let size = 1; size <= world.nRanks; size++) {
      if (world.nRanks % size !== 0) continue;
      const part = teamInnerFactor(world, size);
      o.store(3 * (size - 1), part.nRanks);
      o.store(3 * (size - 1) + 1, part.rank);
      o.store(3 * (size - 1) + 2, part.stride);
    }
  },
);

/**
 * Three numbers for every block size that divides the world. For the others -77, the initial value.
 */
function perFactor(
  teams: RankTeams,
  members: (size: number) => readonly number[],
  stride: (size: number) => number,
): readonly number[] {
  return count(teams.world.length, 1).flatMap((size) =>
    teams.world.length % size === 0 ? fields(members(size), teams.rank, stride(size)) : [-77, -77, -77],
  );
}

export const innerFactor: Case<'teams/inner-factor'> = teamCase({
  id: 'teams/inner-factor',
  mirrors: 'ncclTeamInnerFactor',
  kernel: inner,
  row: (teams) =>
    perFactor(
      teams,
      (size) => teams.block(teams.world, size),
      () => 1,
    ),
});

const outer = kernel(
  { name: 'outerFactor', use: { lsa, teamWorld, teamOuterFactor }, params },
  ({ lsa, teamWorld, teamOuterFactor, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const world = teamWorld(comm);
    for (let size = 1; size <= world.nRanks; size++) {
      if (world.nRanks % size !== 0) continue;
      const part = teamOuterFactor(world, size);
      o.store(3 * (size - 1), part.nRanks);
      o.store(3 * (size - 1) + 1, part.rank);
      o.store(3 * (size - 1) + 2, part.stride);
    }
  },
);

export const outerFactor: Case<'teams/outer-factor'> = teamCase({
  id: 'teams/outer-factor',
  mirrors: 'ncclTeamOuterFactor',
  kernel: outer,
  row: (teams) =>
    perFactor(
      teams,
      (size) => teams.across(teams.world, size),
      (size) => size,
    ),
});

const ofRail = kernel(
  {
    name: 'factorsOfRail',
    use: { lsa, teamRail, teamInnerFactor, teamOuterFactor, teamRankToWorld, teamRankToTeam },
    params,
  },
  ({ lsa, teamRail, teamInnerFactor, teamOuterFactor, teamRankToWorld, teamRankToTeam, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const rail = teamRail(comm);
    const half = rail.nRanks % 2 === 0 ? rail.nRanks / 2 : rail.nRanks;
    const near = teamInnerFactor(rail, half);
    const far = teamOuterFactor(rail, half);
    for (let i = 0; i < near.nRanks; i++) o.store(i, teamRankToWorld(comm, near, i));
    for (let i = 0; i < far.nRanks; i++) {
      o.store(half + 2 * i, teamRankToWorld(comm, far, i));
      o.store(half + 2 * i + 1, teamRankToTeam(rail, far, i));
    }
  },
);

export const factorsOfRail: Case<'teams/factors-of-rail'> = teamCase({
  id: 'teams/factors-of-rail',
  mirrors: 'ncclTeamInnerFactor and ncclTeamOuterFactor of a team with a stride',
  kernel: ofRail,
  row: ({ rail, block, across }) => {
    const half = rail.length % 2 === 0 ? rail.length / 2 : rail.length;
    return [...block(rail, half), ...across(rail, half).flatMap((member) => [member, rail.indexOf(member)])];
  },
});

const toWorld = kernel(
  { name: 'rankToWorld', use: { lsa, teamLsa, teamRail, teamRankToWorld }, params },
  ({ lsa, teamLsa, teamRail, teamRankToWorld, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const near = teamLsa(comm);
    const rail = teamRail(comm);
    for (let i = 0; i < near.nRanks; i++) o.store(i, teamRankToWorld(comm, near, i));
    for (let i = 0; i < rail.nRanks; i++) o.store(near.nRanks + i, teamRankToWorld(comm, rail, i));
  },
);

export const rankToWorld: Case<'teams/rank-to-world'> = teamCase({
  id: 'teams/rank-to-world',
  mirrors: 'ncclTeamRankToWorld',
  kernel: toWorld,
  row: ({ near, rail }) => [...near, ...rail],
});

const toLsa = kernel(
  { name: 'rankToLsa', use: { lsa, teamWorld, teamLsa, teamInnerFactor, teamOuterFactor, teamRankToLsa }, params },
  ({ lsa, teamWorld, teamLsa, teamInnerFactor, teamOuterFactor, teamRankToLsa, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const near = teamLsa(comm);
    const world = teamWorld(comm);
    for (let i = 0; i < near.nRanks; i++) o.store(i, teamRankToLsa(comm, near, i));
    // Ranks outside the domain get the numbers that they would have in a larger domain.
    for (let i = 0; i < world.nRanks; i++) o.store(near.nRanks + i, teamRankToLsa(comm, world, i));
    const half = near.nRanks % 2 === 0 ? near.nRanks / 2 : near.nRanks;
    const block = teamInnerFactor(near, half);
    const across = teamOuterFactor(near, half);
    const at = near.nRanks + world.nRanks;
    for (let i = 0; i < block.nRanks; i++) o.store(at + i, teamRankToLsa(comm, block, i));
    for (let i = 0; i < across.nRanks; i++) o.store(at + half + i, teamRankToLsa(comm, across, i));
  },
);

export const rankToLsa: Case<'teams/rank-to-lsa'> = teamCase({
  id: 'teams/rank-to-lsa',
  mirrors: 'ncclTeamRankToLsa',
  kernel: toLsa,
  row: ({ near, world, rank, block, across }) => {
    const first = rank - near.indexOf(rank);
    const half = near.length % 2 === 0 ? near.length / 2 : near.length;
    return [...near, ...world, ...block(near, half), ...across(near, half)].map((member) => member - first);
  },
});

const toTeam = kernel(
  { name: 'rankToTeam', use: { lsa, teamWorld, teamLsa, teamRail, teamRankToTeam }, params },
  ({ lsa, teamWorld, teamLsa, teamRail, teamRankToTeam, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const world = teamWorld(comm);
    const near = teamLsa(comm);
    const rail = teamRail(comm);
    for (let i = 0; i < near.nRanks; i++) o.store(i, teamRankToTeam(world, near, i));
    for (let i = 0; i < rail.nRanks; i++) o.store(near.nRanks + i, teamRankToTeam(world, rail, i));
    // The own rank is in both of them.
    o.store(near.nRanks + rail.nRanks, teamRankToTeam(near, rail, rail.rank));
  },
);

export const rankToTeam: Case<'teams/rank-to-team'> = teamCase({
  id: 'teams/rank-to-team',
  mirrors: 'ncclTeamRankToTeam',
  kernel: toTeam,
  row: ({ world, near, rail, rank }) => [
    ...[...near, ...rail].map((member) => world.indexOf(member)),
    near.indexOf(rank),
  ],
});

const isMember = kernel(
  { name: 'rankIsMember', use: { lsa, teamWorld, teamLsa, teamRail, teamRankIsMember }, params },
  ({ lsa, teamWorld, teamLsa, teamRail, teamRankIsMember, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const world = teamWorld(comm);
    const near = teamLsa(comm);
    const rail = teamRail(comm);
    for (let i = 0; i < world.nRanks; i++) {
      o.store(3 * i, teamRankIsMember(near, world, i) ? 1 : 0);
      o.store(3 * i + 1, teamRankIsMember(rail, world, i) ? 1 : 0);
      o.store(3 * i + 2, teamRankIsMember(world, world, i) ? 1 : 0);
    }
  },
);

export const rankIsMember: Case<'teams/rank-is-member'> = teamCase({
  id: 'teams/rank-is-member',
  mirrors: 'ncclTeamRankIsMember',
  kernel: isMember,
  row: ({ world, near, rail }) =>
    world.flatMap((member) => [near.includes(member) ? 1 : 0, rail.includes(member) ? 1 : 0, 1]),
});

const inDifference = kernel(
  { name: 'rankInDifference', use: { lsa, teamWorld, teamLsa, teamRail, teamRankInDifference }, params },
  ({ lsa, teamWorld, teamLsa, teamRail, teamRankInDifference, i32 }, { comm, out }) => {
    const o = lsa.localPointer(out, i32, 0);
    const world = teamWorld(comm);
    const near = teamLsa(comm);
    const rail = teamRail(comm);
    const far = world.nRanks - near.nRanks;
    for (let i = 0; i < far; i++) o.store(i, teamRankInDifference(world, near, i));
    for (let i = 0; i < world.nRanks - rail.nRanks; i++) o.store(far + i, teamRankInDifference(world, rail, i));
  },
);

export const rankInDifference: Case<'teams/rank-in-difference'> = teamCase({
  id: 'teams/rank-in-difference',
  mirrors: 'ncclTeamRankInDifference',
  kernel: inDifference,
  row: ({ world, near, rail }) => [
    ...world.filter((member) => !near.includes(member)),
    ...world.filter((member) => !rail.includes(member)),
  ],
});

const teamParameter = kernel(
  { name: 'teamParameter', use: { lsa, Team: team }, params: { out: window, given: team, delta: i32 } },
  ({ lsa, Team, i32 }, { out, given, delta }) => {
    const o = lsa.localPointer(out, i32, 0);
    let mine = Team({ nRanks: given.nRanks + delta, rank: given.rank, stride: -given.stride });
    o.store(0, mine.nRanks);
    o.store(1, mine.rank);
    o.store(2, mine.stride);
    // All parts are read before any is written.
    if (delta > 0) mine = Team({ nRanks: mine.rank, rank: mine.nRanks, stride: mine.stride });
    o.store(3, mine.nRanks);
    o.store(4, mine.rank);
    o.store(5, mine.stride);
  },
);

export const teamAsParameter: Case<'teams/as-parameter'> = defineCase({
  id: 'teams/as-parameter',
  mirrors: 'ncclTeam',
  ranks: [1],
  kernels: [teamParameter],
  run: async ({ run }) => {
    await run(async (comm) => {
      for (const delta of [0, 3]) {
        const given: Team = { nRanks: 5, rank: 2, stride: 7 };
        const out = await comm.allocWindow('i32', 6);
        await comm.launch(teamParameter, { grid: 1, block: 1 }, { out, given, delta });
        const swapped = delta > 0 ? [2, 5 + delta, -7] : [5, 2, -7];
        expectValues(`out for ${delta}`, await out.read(), [5 + delta, 2, -7, ...swapped]);
      }
    });
  },
});

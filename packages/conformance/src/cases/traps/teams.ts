import {
  devComm,
  teamInnerFactor,
  teamLsa,
  teamOuterFactor,
  teamRankIsMember,
  teamRankToTeam,
  teamWorld,
  team,
  window,
} from '@nccl-ts/devcomm';
import { i32, kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { count } from '../fixture/numbers.ts';
import { trapCase } from '../fixture/trap-case.ts';

const params = { comm: devComm, out: window, n: i32 };

const innerKernel = kernel(
  { name: 'innerOfAnySize', use: { lsa, teamWorld, teamInnerFactor }, params },
  ({ lsa, teamWorld, teamInnerFactor, i32 }, { comm, out, n }) => {
    lsa.localPointer(out, i32, 0).store(0, teamInnerFactor(teamWorld(comm), n).rank);
  },
);

export const innerFactorTrap: Case<'traps/teams/inner-factor'> = trapCase({
  id: 'traps/teams/inner-factor',
  mirrors: 'ncclTeamInnerFactor with a size that does not divide the team',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  ranks: [6],
  kernels: [innerKernel],
  prepare: async (comm) => ({ comm: await comm.createDevComm(), out: await comm.allocWindow('i32', 1) }),
  launch: async (comm, args, n) => comm.launch(innerKernel, { grid: 1, block: 1 }, { ...args, n }),
  harmless: () => [1, 2, 3, 6],
  harmful: () => [4, 5, 7, 0, -2],
});

const outerKernel = kernel(
  { name: 'outerOfAnySize', use: { lsa, teamLsa, teamOuterFactor }, params },
  ({ lsa, teamLsa, teamOuterFactor, i32 }, { comm, out, n }) => {
    lsa.localPointer(out, i32, 0).store(0, teamOuterFactor(teamLsa(comm), n).nRanks);
  },
);

export const outerFactorTrap: Case<'traps/teams/outer-factor'> = trapCase({
  id: 'traps/teams/outer-factor',
  mirrors: 'ncclTeamOuterFactor with a size that does not divide the team',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  ranks: [4],
  kernels: [outerKernel],
  prepare: async (comm) => ({ comm: await comm.createDevComm(), out: await comm.allocWindow('i32', 1) }),
  launch: async (comm, args, n) => comm.launch(outerKernel, { grid: 1, block: 1 }, { ...args, n }),
  harmless: () => [1, 2, 4],
  harmful: () => [3, 8, 0],
});

const outsideKernel = kernel(
  {
    name: 'rankOutsideTeam',
    use: { lsa, teamWorld, teamRankToTeam, teamRankIsMember },
    params: { comm: devComm, out: window, part: team },
  },
  ({ lsa, teamWorld, teamRankToTeam, teamRankIsMember, i32 }, { comm, out, part }) => {
    const o = lsa.localPointer(out, i32, 0);
    const world = teamWorld(comm);
    for (let i = 0; i < world.nRanks; i++) {
      o.store(2 * i, teamRankToTeam(part, world, i));
      o.store(2 * i + 1, teamRankIsMember(part, world, i) ? 1 : 0);
    }
  },
);

export const rankOutsideTeam: Case<'traps/teams/rank-outside'> = defineCase({
  id: 'traps/teams/rank-outside',
  mirrors: "ncclTeamRankToTeam of a rank that is not in the team: an index that may equal a member's",
  ranks: [6],
  kernels: [outsideKernel],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const dev = await comm.createDevComm();
      const out = await comm.allocWindow('i32', 2 * ranks);
      // Every second rank, of which there are three.
      const part = { nRanks: 3, rank: Math.floor(comm.rank / 2), stride: 2 };
      await comm.launch(outsideKernel, { grid: 1, block: 1 }, { comm: dev, out, part });
      const expected = count(ranks).flatMap((peer) => {
        const distance = peer - comm.rank;
        const index = part.rank + Math.trunc(distance / 2);
        return [index, distance % 2 === 0 && index >= 0 && index < 3 ? 1 : 0];
      });
      expectValues(`rank ${comm.rank}`, await out.read(), expected);
    });
  },
});

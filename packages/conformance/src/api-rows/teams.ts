import type { ApiRow } from './api-row.ts';

/** Teams: parts of the ranks, and the ranks' indices in them. */
export const teams: readonly ApiRow[] = [
  { id: '1.2/team', nccl: 'ncclTeam', here: 'team, Team', cases: ['teams/as-parameter'] },
  { id: '1.2/teamWorld', nccl: 'ncclTeamWorld', here: 'teamWorld', cases: ['teams/world-lsa-rail'] },
  { id: '1.2/teamLsa', nccl: 'ncclTeamLsa', here: 'teamLsa', cases: ['teams/world-lsa-rail'] },
  {
    id: '1.2/teamRail',
    nccl: 'ncclTeamRail',
    here: 'teamRail',
    cases: ['teams/world-lsa-rail', 'teams/factors-of-rail'],
  },
  {
    id: '1.2/teamTags',
    nccl: 'ncclTeamTagWorld, ncclTeamTagLsa, ncclTeamTagRail',
    here: 'an option or a function of its own where NCCL has an overload for a tag',
    cases: ['barriers/groups/cta'],
  },
  {
    id: '1.2/teamRankIsMember',
    nccl: 'ncclTeamRankIsMember',
    here: 'teamRankIsMember',
    cases: ['teams/rank-is-member', 'traps/teams/rank-outside'],
  },
  {
    id: '1.2/teamRankToTeam',
    nccl: 'ncclTeamRankToTeam',
    here: 'teamRankToTeam',
    cases: ['teams/rank-to-team'],
    traps: [
      {
        trap: 'of a rank outside of the team: a meaningless index, which nothing reports',
        cases: ['traps/teams/rank-outside'],
      },
    ],
  },
  { id: '1.2/teamRankToWorld', nccl: 'ncclTeamRankToWorld', here: 'teamRankToWorld', cases: ['teams/rank-to-world'] },
  { id: '1.2/teamRankToLsa', nccl: 'ncclTeamRankToLsa', here: 'teamRankToLsa', cases: ['teams/rank-to-lsa'] },
  {
    id: '1.2/teamInnerFactor',
    nccl: 'ncclTeamInnerFactor',
    here: 'teamInnerFactor',
    cases: ['teams/inner-factor', 'teams/factors-of-rail'],
    traps: [{ trap: 'a size that does not divide the team', cases: ['traps/teams/inner-factor'] }],
  },
  {
    id: '1.2/teamOuterFactor',
    nccl: 'ncclTeamOuterFactor',
    here: 'teamOuterFactor',
    cases: ['teams/outer-factor', 'teams/factors-of-rail', 'barriers/sessions/strided-team'],
    traps: [{ trap: 'a size that does not divide the team', cases: ['traps/teams/outer-factor'] }],
  },
  {
    id: '1.2/teamRankInDifference',
    nccl: 'ncclTeamRankInDifference',
    here: 'teamRankInDifference',
    cases: ['teams/rank-in-difference'],
  },
];

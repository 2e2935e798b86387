import { row, type Row } from './row.ts';

/** Teams: parts of the ranks, and the ranks' indices in them. */
export const teams: readonly Row[] = [
  row('ncclTeam', 'teams/as-parameter'),
  row('ncclTeamWorld', 'teams/world-lsa-rail'),
  row('ncclTeamLsa', 'teams/world-lsa-rail'),
  row('ncclTeamRail', 'teams/world-lsa-rail teams/factors-of-rail'),
  row('ncclTeamTagWorld ncclTeamTagLsa ncclTeamTagRail', 'barriers/groups/cta'),
  row('ncclTeamRankIsMember', 'teams/rank-is-member traps/teams/rank-outside'),
  row('ncclTeamRankToTeam', 'teams/rank-to-team', {
    traps: { 'of a rank outside of the team: a meaningless index, which nothing reports': 'traps/teams/rank-outside' },
  }),
  row('ncclTeamRankToWorld', 'teams/rank-to-world'),
  row('ncclTeamRankToLsa', 'teams/rank-to-lsa'),
  row('ncclTeamInnerFactor', 'teams/inner-factor teams/factors-of-rail', {
    traps: { 'a size that does not divide the team': 'traps/teams/inner-factor' },
  }),
  row('ncclTeamOuterFactor', 'teams/outer-factor teams/factors-of-rail barriers/sessions/strided-team', {
    traps: { 'a size that does not divide the team': 'traps/teams/outer-factor' },
  }),
  row('ncclTeamRankInDifference', 'teams/rank-in-difference'),
];

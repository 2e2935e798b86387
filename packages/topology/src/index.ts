export { groupTopology } from './group-topology.ts';
export { teamRankInDifference, teamRankIsMember, teamRankToLsa, teamRankToTeam, teamRankToWorld } from './team-rank.ts';
export { createTeam, teamInnerFactor, teamLsa, teamOuterFactor, teamRail, teamWorld } from './team.ts';
export type { Team } from './team.ts';
export { createTopology, lsaSizeOfNodes, lsaTeamIndex, rankCoordinates } from './topology.ts';
export type { RankCoordinates, Topology, TopologyOptions } from './topology.ts';

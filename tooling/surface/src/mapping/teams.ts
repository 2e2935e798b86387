import { mapped, membersMapped, type SurfaceEntry } from '../entry.ts';

/**
 * nccl_device/core.h: teams. On the host the teams of a communicator are its methods, and the
 * arithmetic is `topology`'s.
 */
export const teams: readonly SurfaceEntry[] = [
  ...mapped({ ncclTeam: 'topology:Team devcomm:team', ncclTeam_t: 'topology:Team devcomm:team' }),
  ...membersMapped('ncclTeam', 'topology:Team', 'nRanks rank stride'),
  ...mapped({
    ncclTeamWorld: 'devcomm:teamWorld communicator:Communicator.teamWorld',
    ncclTeamLsa: 'devcomm:teamLsa communicator:Communicator.teamLsa',
    ncclTeamRail: 'devcomm:teamRail communicator:Communicator.teamRail',
    ncclTeamRankIsMember: 'devcomm:teamRankIsMember topology:teamRankIsMember',
    ncclTeamRankToTeam: 'devcomm:teamRankToTeam topology:teamRankToTeam',
    ncclTeamRankToWorld: 'devcomm:teamRankToWorld topology:teamRankToWorld',
    ncclTeamRankToLsa: 'devcomm:teamRankToLsa topology:teamRankToLsa',
    ncclTeamInnerFactor: 'devcomm:teamInnerFactor topology:teamInnerFactor',
    ncclTeamOuterFactor: 'devcomm:teamOuterFactor topology:teamOuterFactor',
    ncclTeamRankInDifference: 'devcomm:teamRankInDifference topology:teamRankInDifference',
  }),
  // They select constructors. Sessions here take teams or options instead.
  ...mapped({
    ncclTeamTagWorld: "barrier:BarrierTag='world'",
    ncclTeamTagLsa: "barrier:BarrierTag='lsa'",
    ncclTeamTagRail: "barrier:BarrierTag='rail'",
  }),
];

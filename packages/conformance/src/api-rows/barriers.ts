import type { ApiRow } from './api-row.ts';

/** Barriers that use, or may use, the network. */
export const barriers: readonly ApiRow[] = [
  {
    id: '1.7/ginBarrierSession',
    nccl: 'ncclGinBarrierSession(coop, gin, ncclTeamTagRail or ncclTeamTagWorld, index)',
    here: "gin.barrierSession(coop, net, 'rail' or 'world', index)",
    cases: ['gin/barriers/world', 'gin/barriers/rail'],
    traps: [
      { trap: 'an index that is not below the number of barriers', cases: ['gin/traps/barrier-past-count'] },
      { trap: 'a group with fewer threads than the team has peers', cases: ['gin/traps/barrier-too-narrow'] },
    ],
  },
  {
    id: '1.7/ginBarrierSessionOfHandle',
    nccl: 'ncclGinBarrierSession(coop, gin, team, handle, index)',
    here: "gin.barrierSession(coop, net, 'world', index, { team, handle })",
    cases: ['gin/barriers/own-team', 'gin/barriers/all-contexts-own-team'],
  },
  {
    id: '1.7/ginAllContexts',
    nccl: 'ncclGinAllContexts',
    here: 'gin.barrierSession(coop, net, tag, index, { allContexts: true })',
    cases: ['gin/barriers/all-contexts', 'gin/barriers/all-contexts-own-team'],
  },
  {
    id: '1.7/ginBarrierSync',
    nccl: 'ncclGinBarrierSession::sync with a fence, with timeoutCycles',
    here: 'bar.sync(coop, order, fence, timeoutCycles)',
    cases: [
      'gin/barriers/fence-put',
      'gin/barriers/fence-get',
      'gin/barriers/fence-put-get',
      'gin/barriers/in-time',
      'gin/barriers/rank-missing',
    ],
    traps: [
      {
        trap: 'a fence of None although data is read afterwards',
        cases: [],
        open: { because: 'a backend may have brought the data; the simulator need not' },
      },
    ],
  },
  {
    id: '1.7/ginBarrier',
    nccl: 'ncclGinBarrier(…)',
    here: 'gin.barrier(coop, net, tag, index, order?, fence?, options?)',
    cases: ['hybrid-barriers/free-functions'],
  },
  {
    id: '1.7/barrierSession',
    nccl: 'ncclBarrierSession(coop, ncclTeamTagWorld, ncclTeamTagLsa or ncclTeamTagRail, …)',
    here: "barrier.session(coop, net, 'world' | 'lsa' | 'rail', index, { multimem? })",
    cases: [
      'hybrid-barriers/world/fence-put',
      'hybrid-barriers/world/rail-connection',
      'hybrid-barriers/lsa',
      'hybrid-barriers/rail',
      'hybrid-barriers/multimem',
      'hybrid-barriers/per-index',
    ],
    traps: [
      { trap: 'an index that is not below barrierCount', cases: ['traps/hybrid-barriers/index-past-count'] },
      {
        trap: 'a group with fewer threads than the network part has peers',
        cases: ['traps/hybrid-barriers/too-few-threads'],
      },
    ],
  },
  {
    id: '1.7/barrierSessionOfTeams',
    nccl: 'ncclBarrierSession(coop, innerTeam, outerTeam, gin, innerHandle, outerHandle, index, multimem, innerMmHandle)',
    here: "barrier.session(coop, net, 'world', index, { innerTeam, outerTeam, innerHandle, outerHandle, … })",
    cases: ['hybrid-barriers/own-teams', 'hybrid-barriers/multimem-own-teams'],
  },
  {
    id: '1.7/barrierSync',
    nccl: 'ncclBarrierSession::sync with a fence, with timeoutCycles',
    here: 'bar.sync(coop, order, fence?), bar.sync(coop, order, fence, timeoutCycles)',
    cases: [
      'hybrid-barriers/world/fence-put',
      'hybrid-barriers/world/fence-default',
      'hybrid-barriers/world/fence-none',
      'hybrid-barriers/world/fence-get',
      'hybrid-barriers/timeout/in-time',
      'hybrid-barriers/timeout/rank-missing/world-put',
      'hybrid-barriers/timeout/rank-missing/world',
      'hybrid-barriers/timeout/rank-missing/lsa',
      'hybrid-barriers/timeout/rank-missing/rail',
      'hybrid-barriers/timeout/peer-missing',
    ],
  },
  {
    id: '1.7/barrierSessionParts',
    nccl: 'ncclBarrierSession::lsaBarrier, ::ginBarrier',
    here: 'bar.lsaBarrier(), bar.ginBarrier()',
    cases: ['hybrid-barriers/parts'],
  },
  {
    id: '1.7/barrier',
    nccl: 'ncclBarrier(…)',
    here: 'barrier.sync(coop, net, tag, index, order?, fence?, options?)',
    cases: ['hybrid-barriers/free-functions'],
  },
];

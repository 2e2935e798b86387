import type { ApiRow } from './api-row.ts';
import { plannedRow } from './planned-row.ts';

/** Barriers that go, or may go, through the network. */
export const barriers: readonly ApiRow[] = [
  {
    id: '1.7/ginBarrierSession',
    nccl: 'ncclGinBarrierSession(coop, gin, ncclTeamTagRail or ncclTeamTagWorld, index)',
    here: "gin.barrierSession(coop, net, 'rail' or 'world', index)",
    cases: ['gin/barriers/world', 'gin/barriers/rail'],
    traps: [
      { trap: 'an index of the number of barriers or more', cases: ['gin/traps/barrier-past-count'] },
      { trap: 'a group with fewer threads than the team has other ranks', cases: ['gin/traps/barrier-too-narrow'] },
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
        trap: 'a fence of None where data is read after',
        cases: [],
        open: { because: 'a backend may have brought the data; the simulator need not' },
      },
    ],
  },
  plannedRow('1.7/ginBarrier', 'barrier', 'ncclGinBarrier(…)'),
  plannedRow(
    '1.7/barrierSession',
    'barrier',
    'ncclBarrierSession(coop, ncclTeamTagWorld, ncclTeamTagLsa or ncclTeamTagRail, …)',
    ['an index of barrierCount or more'],
  ),
  plannedRow('1.7/barrierSessionParts', 'barrier', 'ncclBarrierSession::lsaBarrier, ::ginBarrier'),
  plannedRow('1.7/barrier', 'barrier', 'ncclBarrier(…)'),
];

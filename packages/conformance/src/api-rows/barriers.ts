import type { ApiRow } from './api-row.ts';
import { plannedRow } from './planned-row.ts';

/** Barriers that go, or may go, through the network. */
export const barriers: readonly ApiRow[] = [
  plannedRow(
    '1.7/ginBarrierSession',
    'barrier',
    'ncclGinBarrierSession(coop, gin, ncclTeamTagRail or ncclTeamTagWorld, index)',
    ['an index of the number of barriers or more', 'a group with fewer threads than the team has other ranks'],
  ),
  plannedRow('1.7/ginBarrierSessionOfHandle', 'barrier', 'ncclGinBarrierSession(coop, gin, team, handle, index)'),
  plannedRow('1.7/ginAllContexts', 'barrier', 'ncclGinAllContexts'),
  plannedRow('1.7/ginBarrierSync', 'barrier', 'ncclGinBarrierSession::sync with a fence, with timeoutCycles', [
    'a fence of None where data is read after',
  ]),
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

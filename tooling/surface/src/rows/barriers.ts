import { of } from '../entry.ts';
import { row, type Row } from './row.ts';

/** Barriers that use, or may use, the network. */
export const barriers: readonly Row[] = [
  row('ncclGinBarrierSession', 'gin/barriers/world gin/barriers/rail', {
    form: 'with a tag of a team',
    traps: {
      'an index that is not below the number of barriers': 'gin/traps/barrier-past-count',
      'a group with fewer threads than the team has peers': 'gin/traps/barrier-too-narrow',
    },
  }),
  row('ncclGinBarrierSession', 'gin/barriers/own-team gin/barriers/all-contexts-own-team', {
    form: 'with a team and a handle',
  }),
  row('ncclGinAllContexts', 'gin/barriers/all-contexts gin/barriers/all-contexts-own-team'),
  row('ncclGinBarrierSession::sync', 'gin/barriers/fence-* gin/barriers/in-time gin/barriers/rank-missing', {
    tests: {
      'packages/backend-sim/test/network/two-signal-barriers.test.ts':
        'an arrival at the next sync does not count for this one',
    },
    silent: {
      'a fence of None although data is read afterwards': 'a backend may have brought the data; the simulator need not',
    },
  }),
  row('ncclGinBarrier', 'hybrid-barriers/free-functions'),
  row(
    'ncclBarrierSession ncclDevComm::hybridDenseGinBarrier',
    `hybrid-barriers/world/fence-put hybrid-barriers/world/rail-connection hybrid-barriers/lsa hybrid-barriers/rail
     hybrid-barriers/multimem hybrid-barriers/per-index`,
    {
      form: 'with a tag of a team',
      traps: {
        'an index that is not below barrierCount': 'traps/hybrid-barriers/index-past-count',
        'a group with fewer threads than the network part has peers': 'traps/hybrid-barriers/too-few-threads',
      },
    },
  ),
  row('ncclBarrierSession', 'hybrid-barriers/own-teams hybrid-barriers/multimem-own-teams', {
    form: 'with teams and handles',
  }),
  row(
    'ncclBarrierSession::sync',
    'hybrid-barriers/world/fence-* hybrid-barriers/timeout/* hybrid-barriers/timeout/rank-missing/*',
  ),
  row(of('ncclBarrierSession', 'lsaBarrier ginBarrier'), 'hybrid-barriers/parts'),
  row('ncclBarrier', 'hybrid-barriers/free-functions'),
];

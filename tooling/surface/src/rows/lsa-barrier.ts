import { of } from '../entry.ts';
import { row, type Row } from './row.ts';

/** Barriers over ranks that load and store each other's memory. */
export const lsaBarrier: readonly Row[] = [
  row(
    'ncclLsaBarrierSession',
    `barriers/groups/cta barriers/sessions/in-turn barriers/sessions/two-at-once barriers/sessions/early-return
     barriers/sessions/leaving-loops barriers/in-place-all-reduce`,
    {
      form: 'with ncclTeamTagLsa',
      traps: {
        'an index that is not below lsaBarrierCount': 'traps/barriers/index-past-count',
        'a rank that does not arrive': 'checks/deadlock',
      },
      silent: {
        'two sessions of one index that are alive on one rank':
          'nothing reports it: the saved epoch is too small by one',
        'arrive without its wait before the session ends':
          'nothing reports it at once: the arrival is lost, and a later wait for it is a deadlock',
      },
    },
  ),
  row('ncclLsaBarrierSession', 'barriers/sessions/strided-team barriers/groups/cta', {
    form: 'with a team and a handle',
    traps: { 'an index that is not below nBarriers': 'traps/barriers/index-past-handle' },
  }),
  row('ncclLsaBarrierSession', 'multimem/barriers/*', {
    form: 'with multimem',
    traps: { 'of a communicator without lsaMultimem': 'traps/barriers/multimem-without-handle' },
    silent: {
      'one rank with multimem, and another without':
        'nothing reports it at once: the two modes have separate words, so the waits are a deadlock',
    },
  }),
  row('ncclLsaBarrierSession::arrive', 'barriers/sessions/two-at-once barriers/arrive-wait'),
  row('ncclLsaBarrierSession::wait', 'barriers/sessions/two-at-once barriers/arrive-wait'),
  row('ncclLsaBarrierSession::sync', 'barriers/epochs/many-rounds barriers/epochs/wrap-around barriers/order/*'),
  row(of('ncclLsaBarrierSession', 'wait sync'), 'barriers/timeout/in-time barriers/timeout/rank-missing', {
    form: 'with timeoutCycles',
    traps: { 'threads of a group may disagree': 'barriers/timeout/rank-missing' },
  }),
];

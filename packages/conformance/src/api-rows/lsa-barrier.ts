import type { ApiRow } from './api-row.ts';

/** Barriers over ranks that load and store each other's memory. */
export const lsaBarrier: readonly ApiRow[] = [
  {
    id: '1.5/lsaBarrierSession',
    nccl: 'ncclLsaBarrierSession(coop, devComm, ncclTeamTagLsa, index)',
    here: 'lsa.barrierSession(coop, comm, index)',
    cases: [
      'barriers/groups/cta',
      'barriers/sessions/in-turn',
      'barriers/sessions/two-at-once',
      'barriers/sessions/early-return',
      'barriers/sessions/leaving-loops',
      'barriers/in-place-all-reduce',
    ],
    traps: [
      { trap: 'an index that is not below lsaBarrierCount', cases: ['traps/barriers/index-past-count'] },
      { trap: 'a rank that does not arrive', cases: ['checks/deadlock'] },
      {
        trap: 'two sessions of one index that are alive on one rank',
        cases: [],
        open: { because: 'nothing reports it: the saved epoch is too small by one' },
      },
      {
        trap: 'arrive without its wait before the session ends',
        cases: [],
        open: { because: 'nothing reports it at once: the arrival is lost, and a later wait for it is a deadlock' },
      },
    ],
  },
  {
    id: '1.5/lsaBarrierSessionOfHandle',
    nccl: 'ncclLsaBarrierSession(coop, devComm, team, handle, index)',
    here: 'lsa.barrierSession(coop, comm, index, { team, handle })',
    cases: ['barriers/sessions/strided-team', 'barriers/groups/cta'],
    traps: [{ trap: 'an index that is not below nBarriers', cases: ['traps/barriers/index-past-handle'] }],
  },
  {
    id: '1.5/lsaBarrierSessionMultimem',
    nccl: 'ncclLsaBarrierSession(…, multimem, mmHandle)',
    here: 'lsa.barrierSession(coop, comm, index, { multimem: true, mmHandle? })',
    cases: ['multimem/barriers/epochs', 'multimem/barriers/wrap-around', 'multimem/barriers/timeouts'],
    traps: [
      { trap: 'of a communicator without lsaMultimem', cases: ['traps/barriers/multimem-without-handle'] },
      {
        trap: 'one rank with multimem, and another without',
        cases: [],
        open: {
          because: 'nothing reports it at once: the two modes have separate words, so the waits are a deadlock',
        },
      },
    ],
  },
  {
    id: '1.5/arrive',
    nccl: 'ncclLsaBarrierSession::arrive',
    here: 'bar.arrive(coop, order)',
    cases: ['barriers/sessions/two-at-once', 'barriers/arrive-wait'],
  },
  {
    id: '1.5/wait',
    nccl: 'ncclLsaBarrierSession::wait',
    here: 'bar.wait(coop, order)',
    cases: ['barriers/sessions/two-at-once', 'barriers/arrive-wait'],
  },
  {
    id: '1.5/sync',
    nccl: 'ncclLsaBarrierSession::sync',
    here: 'bar.sync(coop, order)',
    cases: [
      'barriers/order/acq-rel',
      'barriers/order/acquire',
      'barriers/order/release',
      'barriers/order/relaxed',
      'barriers/order/seq-cst',
      'barriers/epochs/many-rounds',
      'barriers/epochs/wrap-around',
    ],
  },
  {
    id: '1.5/timeouts',
    nccl: 'ncclLsaBarrierSession::wait and ::sync with timeoutCycles',
    here: 'bar.wait(coop, order, timeoutCycles), bar.sync(coop, order, timeoutCycles)',
    cases: ['barriers/timeout/in-time', 'barriers/timeout/rank-missing'],
    traps: [{ trap: 'threads of a group may disagree', cases: ['barriers/timeout/rank-missing'] }],
  },
];

import type { ApiRow } from './api-row.ts';

/** Low-latency all-to-all, with data and flag in one store. */
export const llA2A: readonly ApiRow[] = [
  {
    id: '1.8/llA2ASession',
    nccl: 'ncclLLA2ASession(coop, devComm, team, handle, block, maxElts)',
    here: 'llA2A.session',
    cases: ['ll-a2a/epochs/across-launches', 'll-a2a/receiving/per-warp'],
    traps: [{ trap: 'a block that is not below nBlocks', cases: ['traps/ll-a2a/block-past-count'] }],
  },
  {
    id: '1.8/llA2ASessionMultimem',
    nccl: 'ncclLLA2ASession(…, multimem, mmHandle)',
    here: 'llA2A.session(…, { multimem, mmHandle })',
    cases: ['ll-a2a/multimem/bcast'],
    traps: [{ trap: 'a null multimem handle', cases: ['ll-a2a/multimem/unasked'] }],
  },
  {
    id: '1.8/send',
    nccl: 'ncclLLA2ASession::send',
    here: 'session.send',
    cases: ['ll-a2a/values/numbers', 'll-a2a/values/vectors', 'll-a2a/values/wide'],
    traps: [
      { trap: 'a value past the slots', cases: ['traps/ll-a2a/value-past-slots'] },
      { trap: 'a peer that the team does not have', cases: ['traps/ll-a2a/peer-outside-team'] },
    ],
  },
  { id: '1.8/bcast', nccl: 'ncclLLA2ASession::bcast', here: 'session.bcast', cases: ['ll-a2a/receiving/bcast'] },
  {
    id: '1.8/recv',
    nccl: 'ncclLLA2ASession::recv',
    here: 'session.recv',
    cases: ['ll-a2a/values/numbers', 'll-a2a/values/vectors', 'll-a2a/receiving/parted'],
  },
  {
    id: '1.8/recvUnrolled',
    nccl: 'ncclLLA2ASession::recvUnrolled',
    here: 'session.recvUnrolled',
    cases: ['ll-a2a/receiving/unrolled', 'll-a2a/values/wide'],
  },
  {
    id: '1.8/recvReduce',
    nccl: 'ncclLLA2ASession::recvReduce',
    here: 'session.recvReduce',
    cases: ['ll-a2a/reducing/in-order', 'll-a2a/reducing/halves', 'll-a2a/reducing/integers'],
  },
  {
    id: '1.8/endEpoch',
    nccl: 'ncclLLA2ASession::endEpoch',
    here: 'session.endEpoch',
    cases: ['ll-a2a/epochs/many', 'll-a2a/epochs/wrap-around', 'll-a2a/epochs/cleared'],
    traps: [
      {
        trap: 'an epoch without a send to and a receive from each peer',
        cases: [],
        open: { because: 'nothing reports it: a send overwrites values that peers have not received' },
      },
    ],
  },
];

import { row, type Row } from './row.ts';

/** Low-latency all-to-all, with data and flag in one store. */
export const llA2A: readonly Row[] = [
  row('ncclLLA2ASession', 'll-a2a/epochs/across-launches ll-a2a/receiving/per-warp', {
    traps: { 'a block that is not below nBlocks': 'traps/ll-a2a/block-past-count' },
  }),
  row('ncclLLA2ASession', 'll-a2a/multimem/bcast', {
    form: 'with multimem',
    traps: { 'a null multimem handle': 'll-a2a/multimem/unasked' },
  }),
  row('ncclLLA2ASession::send', 'll-a2a/values/numbers ll-a2a/values/vectors ll-a2a/values/wide', {
    traps: {
      'a value past the slots': 'traps/ll-a2a/value-past-slots',
      'a peer that the team does not have': 'traps/ll-a2a/peer-outside-team',
    },
  }),
  row('ncclLLA2ASession::bcast', 'll-a2a/receiving/bcast'),
  row('ncclLLA2ASession::recv', 'll-a2a/values/numbers ll-a2a/values/vectors ll-a2a/receiving/parted'),
  row('ncclLLA2ASession::recvUnrolled', 'll-a2a/receiving/unrolled ll-a2a/values/wide'),
  row('ncclLLA2ASession::recvReduce', 'll-a2a/reducing/in-order ll-a2a/reducing/halves ll-a2a/reducing/integers'),
  row('ncclLLA2ASession::endEpoch', 'll-a2a/epochs/many ll-a2a/epochs/wrap-around ll-a2a/epochs/cleared', {
    silent: {
      'an epoch without a send to and a receive from each peer':
        'nothing reports it: a send overwrites values that peers have not received',
    },
  }),
];

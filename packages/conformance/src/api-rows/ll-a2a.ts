import type { ApiRow } from './api-row.ts';
import { plannedRow } from './planned-row.ts';

/** All-to-all of low latency: data and flag in one store. */
export const llA2A: readonly ApiRow[] = [
  plannedRow('1.8/llA2ASession', 'll-a2a', 'ncclLLA2ASession', [
    'an epoch without a send to and a receive from each peer',
  ]),
  plannedRow('1.8/send', 'll-a2a', 'ncclLLA2ASession::send'),
  plannedRow('1.8/bcast', 'll-a2a', 'ncclLLA2ASession::bcast'),
  plannedRow('1.8/recv', 'll-a2a', 'ncclLLA2ASession::recv'),
  plannedRow('1.8/recvUnrolled', 'll-a2a', 'ncclLLA2ASession::recvUnrolled'),
  plannedRow('1.8/recvReduce', 'll-a2a', 'ncclLLA2ASession::recvReduce'),
  plannedRow('1.8/endEpoch', 'll-a2a', 'ncclLLA2ASession::endEpoch'),
];

import type { ApiRow } from './api-row.ts';

/** The compute fabric transport of NCCL 2.31. */
export const fabric: readonly ApiRow[] = [
  {
    id: '1.11/memFence',
    nccl: 'ncclMemFence, ncclMemProxyType, ncclMemFenceScope',
    here: "cft.memFence, fenceProxy('fabric', producer, consumer, order, scope)",
    cases: ['fabric/fences/generic'],
  },
];

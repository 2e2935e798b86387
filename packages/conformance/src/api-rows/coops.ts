import type { ApiRow } from './api-row.ts';

/** Groups of threads of one CTA. */
export const coops: readonly ApiRow[] = [
  {
    id: '1.3/coopThread',
    nccl: 'ncclCoopThread',
    here: 'coopThread()',
    cases: ['coops/identity', 'coops/bcast-any-all', 'barriers/groups/thread'],
  },
  {
    id: '1.3/coopWarp',
    nccl: 'ncclCoopWarp',
    here: 'coopWarp()',
    cases: ['coops/identity', 'coops/sync', 'coops/bcast-any-all', 'barriers/groups/warp'],
  },
  {
    id: '1.3/coopTile',
    nccl: 'ncclCoopTile',
    here: 'coopTile(n)',
    cases: ['coops/identity', 'coops/sync', 'coops/tile-sizes', 'barriers/groups/tile'],
  },
  {
    id: '1.3/coopLanes',
    nccl: 'ncclCoopLanes',
    here: 'coopLanes(mask)',
    cases: ['coops/identity', 'coops/divergent', 'coops/lanes-exchange', 'barriers/groups/lanes'],
  },
  {
    id: '1.3/coopWarpSpan',
    nccl: 'ncclCoopWarpSpan',
    here: 'coopWarpSpan(warp0, nWarps, id)',
    cases: ['coops/identity', 'coops/sync', 'coops/bcast-any-all', 'barriers/groups/warp-span'],
    traps: [
      {
        trap: 'two spans with one id at the same time',
        cases: [],
        open: {
          because: 'spans synchronize their own threads on every backend except CUDA, where the hardware counts wrong',
        },
      },
    ],
  },
  {
    id: '1.3/coopCta',
    nccl: 'ncclCoopCta',
    here: 'coopCta()',
    cases: ['coops/identity', 'coops/sync', 'coops/bcast-any-all', 'barriers/groups/cta'],
    traps: [{ trap: 'some threads of a group do not arrive', cases: ['traps/coops/missing-threads'] }],
  },
  {
    id: '1.3/coopAny',
    nccl: 'ncclCoopAny',
    here: 'coopAny(coop)',
    cases: ['coops/identity', 'coops/passed-on', 'coops/lane-masks-and-kinds'],
  },
  {
    id: '1.3/coopCoalesced',
    nccl: 'ncclCoopCoalesced',
    here: 'coopCoalesced(), coopCoalesced(coop)',
    cases: ['coops/coalesced', 'coops/coalesced-of-a-group'],
  },
  {
    id: '1.3/coopGetLaneMask',
    nccl: 'ncclCoopGetLaneMask',
    here: 'coopGetLaneMask(coop)',
    cases: ['coops/lane-masks-and-kinds'],
  },
  {
    id: '1.3/coopIsThread',
    nccl: 'ncclCoopIsThread',
    here: 'coopIsThread(coop)',
    cases: ['coops/lane-masks-and-kinds'],
  },
  {
    id: '1.3/coopWithinWarp',
    nccl: 'ncclCoopWithinWarp',
    here: 'coopWithinWarp(coop)',
    cases: ['coops/lane-masks-and-kinds'],
  },
  {
    id: '1.3/coopBcast',
    nccl: 'ncclCoopBcast',
    here: 'coop.bcast(value, root, entrySync)',
    cases: ['coops/bcast-any-all', 'coops/lanes-exchange', 'coops/bcast-entry-sync', 'coops/tile-sizes'],
  },
  {
    id: '1.3/customCoop',
    nccl: 'a class with thread_rank, size and sync',
    here: 'an object with threadRank, size and sync',
    cases: ['coops/identity', 'coops/passed-on', 'barriers/groups/custom'],
  },
];

import { row, type Row } from './row.ts';

/** Groups of threads of one CTA. */
export const coops: readonly Row[] = [
  row('ncclCoopThread', 'coops/identity coops/bcast-any-all barriers/groups/thread'),
  row('ncclCoopWarp', 'coops/identity coops/sync coops/bcast-any-all barriers/groups/warp'),
  row('ncclCoopTile', 'coops/identity coops/sync coops/tile-sizes barriers/groups/tile'),
  row('ncclCoopLanes', 'coops/identity coops/divergent coops/lanes-exchange barriers/groups/lanes'),
  row('ncclCoopWarpSpan', 'coops/identity coops/sync coops/bcast-any-all barriers/groups/warp-span', {
    silent: {
      'two spans with one id at the same time':
        'spans synchronize their own threads on every backend except CUDA, where the hardware counts wrong',
    },
  }),
  row('ncclCoopCta', 'coops/identity coops/sync coops/bcast-any-all barriers/groups/cta', {
    traps: { 'some threads of a group do not arrive': 'traps/coops/missing-threads' },
  }),
  row('ncclCoopAny', 'coops/identity coops/passed-on coops/lane-masks-and-kinds'),
  row('ncclCoopCoalesced', 'coops/coalesced coops/coalesced-of-a-group'),
  row('ncclCoopGetLaneMask', 'coops/lane-masks-and-kinds'),
  row('ncclCoopIsThread', 'coops/lane-masks-and-kinds'),
  row('ncclCoopWithinWarp', 'coops/lane-masks-and-kinds'),
  row('ncclCoopBcast', 'coops/bcast-any-all coops/lanes-exchange coops/bcast-entry-sync coops/tile-sizes'),
  row('', 'coops/identity coops/passed-on barriers/groups/custom', {
    form: 'a class with thread_rank, size and sync',
    here: 'kernel:CoopLike',
  }),
];

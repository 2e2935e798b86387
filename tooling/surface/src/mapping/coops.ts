import { lacking, leftOut, mapped, of, type SurfaceEntry } from '../entry.ts';

/** The classes of groups, each with the built-in that makes one. */
const classes = [
  ['ncclCoopAny', 'coopAny'],
  ['ncclCoopTile', 'coopTile'],
  ['ncclCoopLanes', 'coopLanes'],
  ['ncclCoopWarpSpan', 'coopWarpSpan'],
  ['ncclCoopCta', 'coopCta'],
] as const;

/** nccl_device/coop.h. */
export const coops: readonly SurfaceEntry[] = [
  ...classes.flatMap(([name, builtin]) =>
    mapped({
      [name]: `kernel:Builtins.${builtin}`,
      [`${name}::thread_rank`]: 'kernel:CoopLike.threadRank',
      [`${name}::size`]: 'kernel:CoopLike.size',
      [`${name}::num_threads`]: 'kernel:CoopLike.size',
      [`${name}::sync`]: 'kernel:CoopLike.sync',
    }),
  ),
  ...mapped({
    ncclCoopThread: 'kernel:Builtins.coopThread',
    ncclCoopWarp: 'kernel:Builtins.coopWarp',
    'ncclCoopAny::ncclCoopAny': 'kernel:Builtins.coopAny',
    'ncclCoopLanes::ncclCoopLanes': 'kernel:Builtins.coopLanes',
    'ncclCoopWarpSpan::ncclCoopWarpSpan': 'kernel:Builtins.coopWarpSpan',
  }),
  ...lacking('reading it back from the group', {
    'ncclCoopWarpSpan::warp0': 'kernel:Builtins.coopWarpSpan',
    'ncclCoopWarpSpan::nWarps': 'kernel:Builtins.coopWarpSpan',
    'ncclCoopWarpSpan::id': 'kernel:Builtins.coopWarpSpan',
  }),
  ...mapped({
    ncclCoopCoalesced: 'kernel:Builtins.coopCoalesced',
    ncclCoopBcast: 'kernel:Coop.bcast',
    ncclCoopGetLaneMask: 'kernel:Builtins.coopGetLaneMask',
    'ncclCoopTile::laneMask': 'kernel:Builtins.coopGetLaneMask',
    'ncclCoopLanes::lmask': 'kernel:Builtins.coopGetLaneMask',
    ncclCoopIsThread: 'kernel:Builtins.coopIsThread',
    ncclCoopWithinWarp: 'kernel:Builtins.coopWithinWarp',
  }),
  ...leftOut(
    'inside',
    `${of('ncclCoopAny', 'Storage Storage::space VTable VTable::thread_rank VTable::size VTable::sync storage vtable get_vtable')}
     ncclCoopBcast_WarpSpan_stash ncclCoopBcast_Cta_stash`,
  ),
];

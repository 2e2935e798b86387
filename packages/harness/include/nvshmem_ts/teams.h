// Teams. The PEs of a harness are of one node, so its team is the world, and a PE is alone with its like on other nodes.
#ifndef NCCL_TS_NVSHMEM_TEAMS_H
#define NCCL_TS_NVSHMEM_TEAMS_H

namespace nvshmem_ts {
// True for the world. Teams that a host has made are not known here.
NVSHMEM_TS_BOTH bool isWorld(nvshmem_team_t team) {
  bool isWorld = team == NVSHMEM_TEAM_WORLD || team == NVSHMEM_TEAM_SHARED || team == NVSHMEMX_TEAM_NODE;
  NVSHMEM_TS_ON_DEVICE(if (!isWorld && team != NVSHMEMX_TEAM_SAME_MYNODE_INDEX) __trap();)
  return isWorld;
}
} // namespace nvshmem_ts

NVSHMEM_TS_BOTH int nvshmem_team_my_pe(nvshmem_team_t team) { return nvshmem_ts::isWorld(team) ? nvshmem_my_pe() : 0; }
NVSHMEM_TS_BOTH int nvshmem_team_n_pes(nvshmem_team_t team) { return nvshmem_ts::isWorld(team) ? nvshmem_n_pes() : 1; }
NVSHMEM_TS_BOTH int nvshmem_team_translate_pe(nvshmem_team_t from, int pe, nvshmem_team_t to) {
  if (pe < 0 || pe >= nvshmem_team_n_pes(from)) return -1;
  int world = nvshmem_ts::isWorld(from) ? pe : nvshmem_my_pe();
  if (nvshmem_ts::isWorld(to)) return world;
  return world == nvshmem_my_pe() ? 0 : -1;
}

#define NVSHMEM_TS_MEETINGS(scope, x, group, coop)                                                                     \
  scope void x##_barrier##group(nvshmem_team_t team) {                                                                 \
    NVSHMEM_TS_ON_DEVICE(if (nvshmem_ts::isWorld(team)) __nccl_ts_shmem_barrier(1, coop);)                             \
  }                                                                                                                    \
  scope int x##_team_sync##group(nvshmem_team_t team) {                                                                \
    NVSHMEM_TS_ON_DEVICE(if (nvshmem_ts::isWorld(team)) __nccl_ts_shmem_barrier(0, coop);)                             \
    return 0;                                                                                                          \
  }
NVSHMEM_TS_MEETINGS(NVSHMEM_TS_BOTH, nvshmem, , 1)
NVSHMEM_TS_MEETINGS(NVSHMEM_TS_INLINE, nvshmemx, _warp, 32)
NVSHMEM_TS_MEETINGS(NVSHMEM_TS_INLINE, nvshmemx, _block, 0)

#endif

// Barriers over ranks: by loads and stores, through the network, and both. A session has no state of its own here: each call opens it, meets,
// and closes it.
#ifndef NCCL_TS_BARRIERS_H
#define NCCL_TS_BARRIERS_H

enum ncclGinFenceLevel : uint32_t { None = 0, Put = 1, Get = 2, Relaxed = 0 };
__host__ __device__ __forceinline__ constexpr ncclGinFenceLevel operator|(ncclGinFenceLevel a, ncclGinFenceLevel b) {
  return (ncclGinFenceLevel)((uint32_t)a | (uint32_t)b);
}
__host__ __device__ __forceinline__ constexpr ncclGinFenceLevel operator&(ncclGinFenceLevel a, ncclGinFenceLevel b) {
  return (ncclGinFenceLevel)((uint32_t)a & (uint32_t)b);
}
#define NCCL_TS_ALL_FENCES (ncclGinFenceLevel::Put | ncclGinFenceLevel::Get)

struct ncclGinAllContexts {
  ncclDevComm const &comm;
  __host__ __device__ constexpr ncclGinAllContexts(ncclDevComm const &comm) : comm(comm) {}
};

template <typename Coop>
struct ncclLsaBarrierSession {
  ncclTeam team;
  ncclLsaBarrierHandle handle;
  uint32_t index;
  bool own, multimem;

  NCCL_TS_INLINE ncclLsaBarrierSession(Coop, ncclDevComm const &comm, ncclTeamTagLsa, uint32_t index,
                                       bool multimem = false)
      : team(ncclTeamLsa(comm)), handle(comm.lsaBarrier), index(index), own(false), multimem(multimem) {}
  NCCL_TS_INLINE ncclLsaBarrierSession(Coop, ncclDevComm const &, ncclTeam team, ncclLsaBarrierHandle handle,
                                       uint32_t index, bool multimem = false, ncclMultimemHandle = {})
      : team(team), handle(handle), index(index), own(true), multimem(multimem) {}
  ncclLsaBarrierSession(ncclLsaBarrierSession const &) = delete;

  NCCL_TS_INLINE void arrive(Coop, cuda::memory_order order) { step(1, order); }
  NCCL_TS_INLINE void wait(Coop, cuda::memory_order order) { step(2, order); }
  NCCL_TS_INLINE void sync(Coop, cuda::memory_order order) { step(3, order); }
  NCCL_TS_INLINE ncclResult_t wait(Coop, cuda::memory_order order, uint64_t timeoutCycles) {
    return timed(2, order, timeoutCycles);
  }
  NCCL_TS_INLINE ncclResult_t sync(Coop, cuda::memory_order order, uint64_t timeoutCycles) {
    return timed(3, order, timeoutCycles);
  }

private:
  NCCL_TS_INLINE ncclResult_t timed(int which, cuda::memory_order order, uint64_t timeoutCycles) {
    return (ncclResult_t)__nccl_ts_lsa_barrier_timed(nccl_ts::CoopCode<Coop>::value, which, own, team.nRanks, team.rank,
                                                     team.stride, handle.bufHandle, handle.nBarriers, index, multimem,
                                                     (int)order, timeoutCycles);
  }
  NCCL_TS_INLINE void step(int which, cuda::memory_order order) {
    __nccl_ts_lsa_barrier(nccl_ts::CoopCode<Coop>::value, which, own, team.nRanks, team.rank, team.stride,
                          handle.bufHandle, handle.nBarriers, index, multimem, (int)order);
  }
};

template <typename Coop>
struct ncclGinBarrierSession {
  ncclTeam team;
  ncclGinBarrierHandle handle;
  uint32_t context, index;
  int all, which;

  NCCL_TS_INLINE ncclGinBarrierSession(Coop, ncclGin const &gin, ncclTeam team, ncclGinBarrierHandle handle,
                                       uint32_t index)
      : team(team), handle(handle), context(gin.contextId), index(index), all(0), which(2) {}
  NCCL_TS_INLINE ncclGinBarrierSession(Coop, ncclGin const &gin, ncclTeamTagRail, uint32_t index)
      : team{}, handle{}, context(gin.contextId), index(index), all(0), which(1) {}
  NCCL_TS_INLINE ncclGinBarrierSession(Coop, ncclGin const &gin, ncclTeamTagWorld, uint32_t index)
      : team{}, handle{}, context(gin.contextId), index(index), all(0), which(0) {}
  NCCL_TS_INLINE ncclGinBarrierSession(Coop, ncclGinAllContexts, ncclTeam team, ncclGinBarrierHandle handle,
                                       uint32_t index)
      : team(team), handle(handle), context(0), index(index), all(1), which(2) {}
  NCCL_TS_INLINE ncclGinBarrierSession(Coop, ncclGinAllContexts, ncclTeamTagRail, uint32_t index)
      : team{}, handle{}, context(0), index(index), all(1), which(1) {}
  NCCL_TS_INLINE ncclGinBarrierSession(Coop, ncclGinAllContexts, ncclTeamTagWorld, uint32_t index)
      : team{}, handle{}, context(0), index(index), all(1), which(0) {}
  ncclGinBarrierSession(ncclGinBarrierSession const &) = delete;

  NCCL_TS_INLINE void sync(Coop, cuda::memory_order order, ncclGinFenceLevel fence = NCCL_TS_ALL_FENCES) {
    __nccl_ts_gin_barrier(context, nccl_ts::CoopCode<Coop>::value, all, which, team.nRanks, team.rank, team.stride,
                          handle.signal0, index, (int)order, (int)fence);
  }
  NCCL_TS_INLINE ncclResult_t sync(Coop, cuda::memory_order order, ncclGinFenceLevel fence, uint64_t timeoutCycles) {
    return (ncclResult_t)__nccl_ts_gin_barrier_timed(context, nccl_ts::CoopCode<Coop>::value, all, which, team.nRanks,
                                                     team.rank, team.stride, handle.signal0, index, (int)order,
                                                     (int)fence, timeoutCycles);
  }
};

template <typename Coop>
struct ncclBarrierSession {
  ncclDevComm const &comm;
  uint32_t context, index;
  int which;
  bool multimem;

  NCCL_TS_INLINE ncclBarrierSession(Coop, ncclTeamTagWorld, ncclGin const &gin, uint32_t index, bool multimem = false)
      : comm(gin.comm), context(gin.contextId), index(index), which(0), multimem(multimem) {}
  NCCL_TS_INLINE ncclBarrierSession(Coop, ncclTeamTagLsa, ncclDevComm const &comm, uint32_t index, bool multimem = false)
      : comm(comm), context(0), index(index), which(2), multimem(multimem) {}
  NCCL_TS_INLINE ncclBarrierSession(Coop, ncclTeamTagRail, ncclGin const &gin, uint32_t index)
      : comm(gin.comm), context(gin.contextId), index(index), which(1), multimem(false) {}
  ncclBarrierSession(ncclBarrierSession const &) = delete;

  // The part of it that orders the ranks of the LSA team alone.
  NCCL_TS_INLINE ncclLsaBarrierSession<Coop> lsaBarrier() {
    return {Coop(), comm, ncclTeamLsa(comm), comm.hybridLsaBarrier, index, multimem};
  }

  NCCL_TS_INLINE void sync(Coop, cuda::memory_order order, ncclGinFenceLevel fence = NCCL_TS_ALL_FENCES) {
    __nccl_ts_barrier(context, nccl_ts::CoopCode<Coop>::value, which, index, multimem, (int)order, (int)fence);
  }
  NCCL_TS_INLINE ncclResult_t sync(Coop, cuda::memory_order order, ncclGinFenceLevel fence, uint64_t timeoutCycles) {
    return (ncclResult_t)__nccl_ts_barrier_timed(context, nccl_ts::CoopCode<Coop>::value, which, index, multimem,
                                                 (int)order, (int)fence, timeoutCycles);
  }
};

template <typename Coop, typename Gin, typename Tag>
NCCL_TS_INLINE void ncclGinBarrier(Coop coop, Gin gin, Tag tag, uint32_t index,
                                   cuda::memory_order order = cuda::memory_order_acq_rel,
                                   ncclGinFenceLevel fence = NCCL_TS_ALL_FENCES) {
  ncclGinBarrierSession<Coop>(coop, gin, tag, index).sync(coop, order, fence);
}
template <typename Coop, typename Gin>
NCCL_TS_INLINE void ncclGinBarrier(Coop coop, Gin gin, ncclTeam team, ncclGinBarrierHandle handle, uint32_t index,
                                   cuda::memory_order order = cuda::memory_order_acq_rel,
                                   ncclGinFenceLevel fence = NCCL_TS_ALL_FENCES) {
  ncclGinBarrierSession<Coop>(coop, gin, team, handle, index).sync(coop, order, fence);
}
template <typename Coop, typename Tag>
NCCL_TS_INLINE void ncclBarrier(Coop coop, Tag tag, ncclGin const &gin, uint32_t index,
                                cuda::memory_order order = cuda::memory_order_acq_rel,
                                ncclGinFenceLevel fence = NCCL_TS_ALL_FENCES, bool multimem = false) {
  ncclBarrierSession<Coop> session(coop, tag, gin, index);
  session.multimem = multimem;
  session.sync(coop, order, fence);
}

#endif

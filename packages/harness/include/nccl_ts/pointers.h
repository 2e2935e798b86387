// Addresses in windows.
#ifndef NCCL_TS_POINTERS_H
#define NCCL_TS_POINTERS_H

NCCL_TS_INLINE void *ncclGetLsaPointer(ncclWindow_t window, size_t offset, int peer) {
  return __nccl_ts_lsa_pointer(window, offset, peer);
}
NCCL_TS_INLINE void *ncclGetLocalPointer(ncclWindow_t window, size_t offset) {
  return __nccl_ts_lsa_pointer(window, offset, __nccl_ts_window_rank(window, 0));
}
NCCL_TS_INLINE void *ncclGetPeerPointer(ncclWindow_t window, size_t offset, int peer) {
  return __nccl_ts_lsa_pointer(window, offset,
                               __nccl_ts_window_rank(window, 0) + peer - __nccl_ts_window_rank(window, 1));
}
NCCL_TS_INLINE void *ncclGetPeerPointer(ncclWindow_t window, size_t offset, ncclTeam team, int peer) {
  return __nccl_ts_lsa_pointer(window, offset, __nccl_ts_window_rank(window, 0) + (peer - team.rank) * team.stride);
}
NCCL_TS_INLINE void *ncclGetMultimemPointer(ncclWindow_t window, size_t offset, ncclMultimemHandle handle) {
  return __nccl_ts_multimem_pointer(window, offset, (uint64_t)handle.mcBasePtr);
}
NCCL_TS_INLINE void *ncclGetLsaMultimemPointer(ncclWindow_t window, size_t offset, ncclDevComm const &comm) {
  return ncclGetMultimemPointer(window, offset, comm.lsaMultimem);
}
NCCL_TS_INLINE void *ncclGetResourceBufferLocalPointer(ncclDevComm const &comm, ncclDevResourceHandle handle) {
  return __nccl_ts_resource_pointer(handle, comm.lsaRank);
}
NCCL_TS_INLINE void *ncclGetResourceBufferLsaPointer(ncclDevComm const &, ncclDevResourceHandle handle, int peer) {
  return __nccl_ts_resource_pointer(handle, peer);
}
NCCL_TS_INLINE void *ncclGetResourceBufferPeerPointer(ncclDevComm const &comm, ncclDevResourceHandle handle,
                                                      ncclTeam team, int peer) {
  return __nccl_ts_resource_pointer(handle, ncclTeamRankToLsa(comm, team, peer));
}

template <typename T>
struct ncclSymPtr {
  using ElementType = T;
  ncclWindow_t window;
  size_t offset;

  __host__ __device__ constexpr ncclSymPtr(ncclWindow_t window = nullptr, size_t offset = 0)
      : window(window), offset(offset) {}
  template <typename U>
  __host__ __device__ operator ncclSymPtr<U>() const {
    return {window, offset};
  }
  template <typename Int>
  __host__ __device__ ncclSymPtr &operator+=(Int by) {
    offset += by * sizeof(T);
    return *this;
  }
  template <typename Int>
  __host__ __device__ ncclSymPtr &operator-=(Int by) {
    offset -= by * sizeof(T);
    return *this;
  }
  NCCL_TS_INLINE T *localPtr() const { return (T *)ncclGetLocalPointer(window, offset); }
  NCCL_TS_INLINE T *lsaPtr(int peer) const { return (T *)ncclGetLsaPointer(window, offset, peer); }
  NCCL_TS_INLINE T *peerPtr(int peer) const { return (T *)ncclGetPeerPointer(window, offset, peer); }
  NCCL_TS_INLINE T *peerPtr(ncclTeam team, int peer) const {
    return (T *)ncclGetPeerPointer(window, offset, team, peer);
  }
  NCCL_TS_INLINE T *multimemPtr(ncclMultimemHandle handle) const {
    return (T *)ncclGetMultimemPointer(window, offset, handle);
  }
  NCCL_TS_INLINE T *lsaMultimemPtr(ncclDevComm const &comm) const {
    return (T *)ncclGetLsaMultimemPointer(window, offset, comm);
  }
};

template <typename T, typename Int>
__host__ __device__ ncclSymPtr<T> operator+(ncclSymPtr<T> p, Int by) {
  return p += by;
}
template <typename T, typename Int>
__host__ __device__ ncclSymPtr<T> operator-(ncclSymPtr<T> p, Int by) {
  return p -= by;
}

#endif

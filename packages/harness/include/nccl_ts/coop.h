// Groups of threads.
#ifndef NCCL_TS_COOP_H
#define NCCL_TS_COOP_H

#include <cuda/atomic>

namespace nccl_ts {
NCCL_TS_INLINE unsigned lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
// Which group a call is given: threads of a tile; 0 for the block.
template <typename Coop>
struct CoopCode {
  static_assert(sizeof(Coop) == 0, "nccl-ts knows ncclCoopThread, ncclCoopWarp, ncclCoopTile<n> and ncclCoopCta only");
};
} // namespace nccl_ts

template <int nThreads>
struct ncclCoopTile {
  static_assert(nThreads > 0 && nThreads <= 32 && (nThreads & (nThreads - 1)) == 0, "a power of two up to 32");
  NCCL_TS_INLINE int thread_rank() const { return nccl_ts::lane() % nThreads; }
  NCCL_TS_INLINE constexpr int size() const { return nThreads; }
  NCCL_TS_INLINE constexpr int num_threads() const { return nThreads; }
  NCCL_TS_INLINE uint32_t laneMask() const { return (~0u >> (32 - nThreads)) << (nccl_ts::lane() / nThreads * nThreads); }
  NCCL_TS_INLINE void sync() const {
    if (nThreads > 1) __syncwarp(laneMask());
  }
};
typedef ncclCoopTile<1> ncclCoopThread;
typedef ncclCoopTile<32> ncclCoopWarp;

struct ncclCoopCta {
  NCCL_TS_INLINE int thread_rank() const { return threadIdx.x; }
  NCCL_TS_INLINE int size() const { return blockDim.x; }
  NCCL_TS_INLINE int num_threads() const { return blockDim.x; }
  NCCL_TS_INLINE void sync() const { __syncthreads(); }
};

namespace nccl_ts {
template <int nThreads>
struct CoopCode<ncclCoopTile<nThreads>> {
  static constexpr int value = nThreads;
};
template <>
struct CoopCode<ncclCoopCta> {
  static constexpr int value = 0;
};
} // namespace nccl_ts

#endif

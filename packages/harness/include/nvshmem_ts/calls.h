// What nccl-ts puts in place of calls, and what orders them. nonblocking, adds, quiet and coop must be numbers where a call is compiled; coop:
// threads of a tile, 0 for the block.
#ifndef NCCL_TS_NVSHMEM_CALLS_H
#define NCCL_TS_NVSHMEM_CALLS_H

#define NVSHMEM_TS_INLINE __device__ __forceinline__
#define NVSHMEM_TS_BOTH static __host__ __device__ __forceinline__

extern "C" {
__device__ int __nccl_ts_shmem_my_pe();
__device__ int __nccl_ts_shmem_n_pes();
__device__ void *__nccl_ts_shmem_ptr(const void *pointer, int pe);
__device__ void __nccl_ts_shmem_put(void *dst, const void *src, size_t bytes, int pe, int nonblocking, int coop);
__device__ void __nccl_ts_shmem_get(void *dst, const void *src, size_t bytes, int pe, int nonblocking, int coop);
// The signal changes once the bytes are at the PE, in no order with other puts. adds: 1 to add the amount, 0 to set it.
__device__ void __nccl_ts_shmem_put_signal(void *dst, const void *src, size_t bytes, void *signal, uint64_t amount,
                                           int pe, int nonblocking, int adds, int coop);
__device__ void __nccl_ts_shmem_quiet();
__device__ void __nccl_ts_shmem_fence();
__device__ void __nccl_ts_shmem_barrier(int quiet, int coop);
// All PEs meet, in place of what a collective promises.
__device__ void __nccl_ts_shmem_meet(int coop);
}

#ifdef __CUDA_ARCH__
#define NVSHMEM_TS_ON_DEVICE(...) __VA_ARGS__
#else
#define NVSHMEM_TS_ON_DEVICE(...)
#endif

NVSHMEM_TS_BOTH int nvshmem_my_pe() {
  NVSHMEM_TS_ON_DEVICE(return __nccl_ts_shmem_my_pe();)
  return 0;
}
NVSHMEM_TS_BOTH int nvshmem_n_pes() {
  NVSHMEM_TS_ON_DEVICE(return __nccl_ts_shmem_n_pes();)
  return 1;
}
NVSHMEM_TS_BOTH void *nvshmem_ptr(const void *pointer, int pe) {
  NVSHMEM_TS_ON_DEVICE(return __nccl_ts_shmem_ptr(pointer, pe);)
  return nullptr;
}
NVSHMEM_TS_BOTH void nvshmem_quiet() { NVSHMEM_TS_ON_DEVICE(__nccl_ts_shmem_quiet();) }
NVSHMEM_TS_BOTH void nvshmem_fence() { NVSHMEM_TS_ON_DEVICE(__nccl_ts_shmem_fence();) }
NVSHMEM_TS_BOTH void nvshmem_barrier_all() { NVSHMEM_TS_ON_DEVICE(__nccl_ts_shmem_barrier(1, 1);) }
NVSHMEM_TS_BOTH void nvshmem_sync_all() { NVSHMEM_TS_ON_DEVICE(__nccl_ts_shmem_barrier(0, 1);) }
NVSHMEM_TS_INLINE void nvshmemx_barrier_all_warp() { __nccl_ts_shmem_barrier(1, 32); }
NVSHMEM_TS_INLINE void nvshmemx_barrier_all_block() { __nccl_ts_shmem_barrier(1, 0); }
NVSHMEM_TS_INLINE void nvshmemx_sync_all_warp() { __nccl_ts_shmem_barrier(0, 32); }
NVSHMEM_TS_INLINE void nvshmemx_sync_all_block() { __nccl_ts_shmem_barrier(0, 0); }

#endif

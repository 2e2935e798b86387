// What nccl-ts puts in place of calls. Parameters named as constants must be numbers where a call is compiled.
//
// team: how many ranks, the own rank, the stride. coop: threads of a tile; 0 for the block. order, scope: those of libcu++.
// remote: 0 for none, else 1 + modify (inc, add) + 2 * strength (weak, strong, as required) + 6 * place (a signal, a word of a window).
#ifndef NCCL_TS_CALLS_H
#define NCCL_TS_CALLS_H

#define NCCL_TS_INLINE __device__ __forceinline__

extern "C" {
__device__ void __nccl_ts_gin_put(unsigned context, int sharing, int teamRanks, int teamRank, int teamStride, int peer,
                                  ncclWindow_t dst, size_t dstOffset, ncclWindow_t src, size_t srcOffset, size_t bytes,
                                  int remote, unsigned signal, ncclWindow_t signalWindow, size_t signalOffset,
                                  uint64_t amount, int counted, unsigned counter, int coop, int given, int required,
                                  int flags);
__device__ void __nccl_ts_gin_put_value(unsigned context, int sharing, int teamRanks, int teamRank, int teamStride,
                                        int peer, ncclWindow_t dst, size_t dstOffset, uint64_t value, int bytes,
                                        int remote, unsigned signal, ncclWindow_t signalWindow, size_t signalOffset,
                                        uint64_t amount, int coop, int given, int required, int flags);
__device__ void __nccl_ts_gin_get(unsigned context, int sharing, int teamRanks, int teamRank, int teamStride, int peer,
                                  ncclWindow_t src, size_t srcOffset, ncclWindow_t dst, size_t dstOffset, size_t bytes,
                                  int coop, int flags);
__device__ void __nccl_ts_gin_signal(unsigned context, int sharing, int teamRanks, int teamRank, int teamStride,
                                     int peer, int remote, unsigned signal, ncclWindow_t signalWindow,
                                     size_t signalOffset, uint64_t amount, int coop, int given, int required,
                                     int flags);
__device__ void __nccl_ts_gin_flush(unsigned context, int coop, int order);
__device__ uint64_t __nccl_ts_gin_flush_async(unsigned context, int teamRanks, int teamRank, int teamStride, int peer,
                                              int coop);
__device__ void __nccl_ts_gin_wait(unsigned context, uint64_t peer, uint64_t request, int coop, int order);
__device__ uint64_t __nccl_ts_gin_read_signal(unsigned context, unsigned signal, int bits, int order);
__device__ void __nccl_ts_gin_wait_signal(unsigned context, int coop, unsigned signal, uint64_t least, int bits,
                                          int order);
__device__ void __nccl_ts_gin_reset_signal(unsigned context, unsigned signal);
__device__ uint64_t __nccl_ts_gin_read_va_signal(unsigned context, ncclWindow_t window, size_t offset, int bits,
                                                 int order);
__device__ void __nccl_ts_gin_wait_va_signal(unsigned context, int coop, ncclWindow_t window, size_t offset,
                                             uint64_t least, int bits, int order);
__device__ void __nccl_ts_gin_reset_va_signal(unsigned context, ncclWindow_t window, size_t offset);
__device__ uint64_t __nccl_ts_gin_read_counter(unsigned context, unsigned counter, int bits, int order);
__device__ void __nccl_ts_gin_wait_counter(unsigned context, int coop, unsigned counter, uint64_t least, int bits,
                                           int order);
__device__ void __nccl_ts_gin_reset_counter(unsigned context, unsigned counter);
__device__ uint64_t *__nccl_ts_gin_shadow(unsigned context, unsigned signal);
__device__ void __nccl_ts_gin_increase_shadow(unsigned context, unsigned signal, uint64_t delta);
__device__ void __nccl_ts_gin_wait_meet_shadow(unsigned context, int coop, unsigned signal, int bits, int order);

__device__ void __nccl_ts_gin_barrier(unsigned context, int coop, int all, int team, int teamRanks, int teamRank,
                                      int teamStride, unsigned signal0, unsigned index, int order, int fence);
__device__ void __nccl_ts_lsa_barrier(int coop, int step, int own, int teamRanks, int teamRank, int teamStride,
                                      unsigned bufHandle, int nBarriers, unsigned index, int multimem, int order);
__device__ void __nccl_ts_barrier(unsigned context, int coop, int team, unsigned index, int multimem, int order,
                                  int fence);

// The same with a time limit in cycles. Each returns ncclSuccess or ncclTimeout.
__device__ int __nccl_ts_gin_flush_timed(unsigned context, int coop, int order, uint64_t timeout);
__device__ int __nccl_ts_gin_wait_timed(unsigned context, uint64_t peer, uint64_t request, int coop, int order,
                                        uint64_t timeout);
__device__ int __nccl_ts_gin_wait_signal_timed(unsigned context, int coop, unsigned signal, uint64_t least, int bits,
                                               int order, uint64_t timeout);
__device__ int __nccl_ts_gin_wait_va_signal_timed(unsigned context, int coop, ncclWindow_t window, size_t offset,
                                                  uint64_t least, int bits, int order, uint64_t timeout);
__device__ int __nccl_ts_gin_wait_counter_timed(unsigned context, int coop, unsigned counter, uint64_t least, int bits,
                                                int order, uint64_t timeout);
__device__ int __nccl_ts_gin_barrier_timed(unsigned context, int coop, int all, int team, int teamRanks, int teamRank,
                                           int teamStride, unsigned signal0, unsigned index, int order, int fence,
                                           uint64_t timeout);
__device__ int __nccl_ts_lsa_barrier_timed(int coop, int step, int own, int teamRanks, int teamRank, int teamStride,
                                           unsigned bufHandle, int nBarriers, unsigned index, int multimem, int order,
                                           uint64_t timeout);
__device__ int __nccl_ts_barrier_timed(unsigned context, int coop, int team, unsigned index, int multimem, int order,
                                       int fence, uint64_t timeout);

__device__ void *__nccl_ts_lsa_pointer(ncclWindow_t window, size_t offset, int lsaPeer);
__device__ void *__nccl_ts_multimem_pointer(ncclWindow_t window, size_t offset, uint64_t group);
__device__ void *__nccl_ts_resource_pointer(unsigned bufHandle, int lsaPeer);
__device__ int __nccl_ts_window_rank(ncclWindow_t window, int world);
}

#endif

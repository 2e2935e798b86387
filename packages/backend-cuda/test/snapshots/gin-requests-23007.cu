#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/gin__funcs.h>

namespace nts {
// Waits until the launch before this one has ended and its writes are visible. The CTAs of the next one may then begin.
__device__ __forceinline__ void wait_for_earlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// NCCL's request as the words that a kernel keeps.
static_assert(sizeof(ncclGinRequest_t) == 2 * sizeof(unsigned long long), "a request is two words");
__device__ __forceinline__ void to_words(unsigned long long* words, ncclGinRequest_t const& request) { memcpy(words, &request, sizeof(request)); }
__device__ __forceinline__ ncclGinRequest_t to_request(unsigned long long first, unsigned long long second) {
  const unsigned long long words[2] = {first, second};
  ncclGinRequest_t r;
  memcpy(&r, words, sizeof(r));
  return r;
}
}  // namespace nts

extern "C" __global__ void requests(ncclDevComm const comm, int const t_nRanks, int const t_rank, int const t_stride, ncclWindow_t const dst_window, unsigned long long const dst_offset, ncclWindow_t const src_window, unsigned long long const src_offset, int const n) {
  int i;
  unsigned long long localArray[2];
  unsigned long long localArray_1[2];
  nts::wait_for_earlier();
  ncclGin(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD).get(ncclTeam{t_nRanks, t_rank, t_stride}, 1, src_window, 0ull, dst_window, 64ull, 256ull);
  ncclGin(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD).get(ncclTeam{t_nRanks, t_rank, t_stride}, 1, src_window, 0ull, dst_window, 64ull, 256ull, ncclCoopWarp(), ncclGin_None(), ncclGinOptFlagsAggregateRequests, ncclGin_SegmentMixed());
  const unsigned long long bytes = (unsigned long long)n * 4ull;
  ncclGin(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD).put(ncclTeam{t_nRanks, t_rank, t_stride}, 1, dst_window, dst_offset, src_window, src_offset, bytes, ncclGin_SignalInc{0u}, ncclGin_None(), ncclCoopThread(), ncclGin_None(), cuda::thread_scope_thread, cuda::thread_scope_device, ncclGinOptFlagsDefault, ncclGin_SegmentHostNuma());
  ncclGinRequest_t request;
  ncclGin(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD).flushAsync(ncclTeam{t_nRanks, t_rank, t_stride}, 0, &request);
  nts::to_words(localArray, request);
  const unsigned long long v_1 = *localArray;
  const unsigned long long v_2 = localArray[1];
  i = 1;
  for (; i < t_nRanks; i++) {
    const int peer = i;
    ncclGinRequest_t request_1;
    ncclGin(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD).flushAsync(ncclTeam{t_nRanks, t_rank, t_stride}, peer, &request_1);
    nts::to_words(localArray_1, request_1);
    const unsigned long long v_4 = *localArray_1;
    const unsigned long long v_5 = localArray_1[1];
    ncclGinRequest_t request_2 = nts::to_request(v_4, v_5);
    ncclGin(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD).wait(request_2, ncclCoopThread(), ncclGin_None(), cuda::memory_order_relaxed);
  }
  ncclGinRequest_t request_3 = nts::to_request(v_1, v_2);
  ncclGin(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD).wait(request_3);
}

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

// Some of the values are addresses of windows, and not null. The branch makes ptxas compute all of them here.
template <class... T> __device__ __forceinline__ void early(T const*... values) {
  if ((... | reinterpret_cast<unsigned long long>(values)) == 0) __trap();
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

extern "C" __global__ void timed(ncclDevComm const comm, int const t_nRanks, int const t_rank, int const t_stride, ncclWindow_t const win, unsigned long long const n, unsigned int const bits) {
  char* const win_own = static_cast<char*>(ncclGetLocalPointer(win, 0));
  unsigned long long localArray[2];
  unsigned int* const out = reinterpret_cast<unsigned int*>(win_own + 64ull);
  nts::early(win_own, out); nts::wait_for_earlier();
  const unsigned int result_1 = static_cast<unsigned int>(ncclGin(comm, 0u).flush(ncclCoopCta(), cuda::memory_order_acquire, ncclGin_None(), n));
  *out = result_1;
  ncclGinRequest_t request;
  ncclGin(comm, 0u).flushAsync(ncclTeam{t_nRanks, t_rank, t_stride}, 1, &request);
  nts::to_words(localArray, request);
  const unsigned long long v_4 = *localArray;
  const unsigned long long v_5 = localArray[1];
  ncclGinRequest_t request_1 = nts::to_request(v_4, v_5);
  const unsigned int result_2 = static_cast<unsigned int>(ncclGin(comm, 0u).wait(request_1, ncclCoopThread(), ncclGin_None(), cuda::memory_order_relaxed, 100ull));
  out[1] = result_2;
  const unsigned int result_4 = static_cast<unsigned int>(ncclGin(comm, 0u).waitSignal(ncclCoopCta(), 0u, n, 64, cuda::memory_order_acquire, 1000ull));
  out[2] = result_4;
  const unsigned int result_6 = static_cast<unsigned int>(ncclGin(comm, 0u).waitSignal(ncclCoopWarp(), 0u, n, (int)bits, cuda::memory_order_relaxed, n));
  out[3] = result_6;
  const unsigned int result_8 = static_cast<unsigned int>(ncclGin(comm, 0u).waitSignal(ncclCoopThread(), win, 8ull, n, 64, cuda::memory_order_acquire, n));
  out[4] = result_8;
  const unsigned int result_10 = static_cast<unsigned int>(ncclGin(comm, 0u).waitCounter(ncclCoopCta(), 2u, n, 48, cuda::memory_order_acquire, n));
  out[5] = result_10;
  ncclGin(comm, 0u).waitCounter(ncclCoopCta(), 2u, n, 56, cuda::memory_order_acquire, n);
}

#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/comm__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/lsa_barrier__funcs.h>

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
}  // namespace nts

extern "C" __global__ void sums(ncclDevComm const comm, ncclWindow_t const win, unsigned int const count) {
  const int comm_lsaSize = comm.lsaSize;
  const int comm_lsaRank = comm.lsaRank;
  char* const win_base = static_cast<char*>(ncclGetLsaPointer(win, 0, 0));
  const unsigned long long win_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(win, 0, 1)) - win_base);
  unsigned int i_3;
  float sum;
  int peer_1;
  int peer_2;
  nts::early(win_base); nts::wait_for_earlier();
  alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar0_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
  ncclLsaBarrierSession<ncclCoopCta>& bar0 = *new (bar0_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acquire);
  const unsigned int step = (blockDim.x * gridDim.x) * (unsigned int)comm_lsaSize;
  i_3 = threadIdx.x + (blockDim.x * ((unsigned int)comm_lsaRank + (blockIdx.x * (unsigned int)comm_lsaSize)));
  for (; i_3 < count; i_3 = i_3 + step) {
    sum = 0.0f;
    peer_1 = 0;
    for (; peer_1 < comm_lsaSize; peer_1++) {
      const float v_2 = reinterpret_cast<float*>(win_base + (win_step * peer_1 + 0ull))[i_3];
      const float a = sum;
      sum = a + v_2;
    }
    peer_2 = 0;
    for (; peer_2 < comm_lsaSize; peer_2++) {
      reinterpret_cast<float*>(win_base + (win_step * peer_2 + 0ull))[i_3] = sum;
    }
  }
  bar0.sync(ncclCoopCta(), cuda::memory_order_release);
  bar0.~ncclLsaBarrierSession();
}

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

extern "C" __global__ void allReduceKernel(ncclWindow_t const sendWin, unsigned long long const sendOffset, ncclWindow_t const recvWin, unsigned long long const recvOffset, unsigned int const count, ncclDevComm const comm) {
  const int comm_lsaRank = comm.lsaRank;
  const int comm_lsaSize = comm.lsaSize;
  char* const sendWin_base = static_cast<char*>(ncclGetLsaPointer(sendWin, 0, 0));
  const unsigned long long sendWin_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(sendWin, 0, 1)) - sendWin_base);
  char* const recvWin_base = static_cast<char*>(ncclGetLsaPointer(recvWin, 0, 0));
  const unsigned long long recvWin_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(recvWin, 0, 1)) - recvWin_base);
  unsigned int offset;
  float v_2;
  int peer_1;
  int peer_2;
  nts::early(sendWin_base, recvWin_base); nts::wait_for_earlier();
  alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar0_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
  ncclLsaBarrierSession<ncclCoopCta>& bar0 = *new (bar0_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  bar0.sync(ncclCoopCta(), cuda::memory_order_relaxed);
  const unsigned int globalTid = threadIdx.x + (blockDim.x * ((unsigned int)comm_lsaRank + (blockIdx.x * (unsigned int)comm_lsaSize)));
  const unsigned int globalNthreads = (blockDim.x * gridDim.x) * (unsigned int)comm_lsaSize;
  offset = globalTid;
  for (; offset < count; offset = offset + globalNthreads) {
    v_2 = 0.0f;
    peer_1 = 0;
    for (; peer_1 < comm_lsaSize; peer_1++) {
      const float v_3 = reinterpret_cast<float*>(sendWin_base + (sendWin_step * peer_1 + sendOffset))[offset];
      v_2 = v_2 + v_3;
    }
    peer_2 = 0;
    for (; peer_2 < comm_lsaSize; peer_2++) {
      reinterpret_cast<float*>(recvWin_base + (recvWin_step * peer_2 + recvOffset))[offset] = v_2;
    }
  }
  bar0.sync(ncclCoopCta(), cuda::memory_order_release);
  bar0.~ncclLsaBarrierSession();
}

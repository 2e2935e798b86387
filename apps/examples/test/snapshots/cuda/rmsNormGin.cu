#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/gin__funcs.h>
#include <nccl_device/impl/gin_barrier__funcs.h>

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

extern "C" __global__ void rmsNormGin(ncclWindow_t const data, ncclWindow_t const inbox, unsigned int const hidden, float const eps, ncclDevComm const comm) {
  const unsigned int comm_ginContextCount = (unsigned int)comm.ginContextCount;
  const int comm_nRanks = comm.nRanks;
  const int comm_rank = comm.rank;
  char* const inbox_own = static_cast<char*>(ncclGetLocalPointer(inbox, 0));
  unsigned int peer_1;
  unsigned int i_5;
  float sum;
  unsigned int part;
  float sum_1;
  unsigned int i_6;
  unsigned int half_1;
  unsigned int i_7;
  unsigned int peer_4;
  __shared__ float sharedArray[1024];
  const unsigned int index = blockIdx.x % comm_ginContextCount;
  const unsigned int nRanks = (unsigned int)comm_nRanks;
  nts::early(inbox_own); nts::wait_for_earlier();
  const unsigned long long result = ncclGin(comm, index).readSignal(blockIdx.x);
  ncclGinBarrierSession<ncclCoopCta> bar0(ncclCoopCta(), ncclGin(comm, index), ncclTeamTagWorld(), blockIdx.x);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acquire, ncclGinFenceLevel::None);
  const unsigned int bytes = hidden * 4u;
  const unsigned int ownPlace = (((unsigned int)comm_rank * gridDim.x) + blockIdx.x) * bytes;
  peer_1 = threadIdx.x;
  for (; peer_1 < nRanks; peer_1 = peer_1 + blockDim.x) {
    const unsigned int theirToken = ((peer_1 * gridDim.x) + blockIdx.x) * bytes;
    const int peer_2 = (int)peer_1;
    const unsigned long long dstOffset = (unsigned long long)ownPlace;
    const unsigned long long srcOffset = (unsigned long long)theirToken;
    const unsigned long long bytes_1 = (unsigned long long)bytes;
    ncclGin(comm, index).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer_2, inbox, dstOffset, data, srcOffset, bytes_1, ncclGin_WeakSignalInc{blockIdx.x});
  }
  const unsigned long long least_1 = result + (unsigned long long)nRanks;
  ncclGin(comm, index).waitSignal(ncclCoopCta(), blockIdx.x, least_1);
  float* const token = reinterpret_cast<float*>(inbox_own + (unsigned long long)(blockIdx.x * bytes));
  const unsigned int stride = hidden * gridDim.x;
  i_5 = threadIdx.x;
  for (; i_5 < hidden; i_5 = i_5 + blockDim.x) {
    sum = 0.0f;
    part = 0u;
    for (; part < nRanks; part++) {
      const float v_12 = token[(part * stride) + i_5];
      sum = sum + v_12;
    }
    token[i_5] = sum;
  }
  __syncthreads();
  sum_1 = 0.0f;
  i_6 = threadIdx.x;
  for (; i_6 < hidden; i_6 = i_6 + blockDim.x) {
    const float v_13 = token[i_6];
    const float v_14 = token[i_6];
    sum_1 = sum_1 + (v_13 * v_14);
  }
  sharedArray[threadIdx.x] = sum_1;
  __syncthreads();
  half_1 = blockDim.x / 2u;
  for (; half_1 > 0u; half_1 = half_1 / 2u) {
    if (threadIdx.x < half_1) {
      float* const at_4 = sharedArray + threadIdx.x;
      const float v_15 = *at_4;
      const float v_16 = sharedArray[threadIdx.x + half_1];
      *at_4 = v_15 + v_16;
    }
    __syncthreads();
  }
  const float v_17 = *sharedArray;
  const float scale = __frsqrt_rn(((v_17 / (float)hidden) + eps));
  i_7 = threadIdx.x;
  for (; i_7 < hidden; i_7 = i_7 + blockDim.x) {
    float* const at_5 = token + i_7;
    const float v_18 = *at_5;
    *at_5 = v_18 * scale;
  }
  __syncthreads();
  bar0.sync(ncclCoopCta(), cuda::memory_order_release, ncclGinFenceLevel::None);
  peer_4 = threadIdx.x;
  for (; peer_4 < nRanks; peer_4 = peer_4 + blockDim.x) {
    const int peer_5 = (int)peer_4;
    const unsigned long long dstOffset_1 = (unsigned long long)ownPlace;
    const unsigned long long srcOffset_1 = (unsigned long long)(blockIdx.x * bytes);
    const unsigned long long bytes_2 = (unsigned long long)bytes;
    ncclGin(comm, index).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer_5, data, dstOffset_1, inbox, srcOffset_1, bytes_2, ncclGin_WeakSignalInc{blockIdx.x});
  }
  const unsigned long long least_3 = result + (unsigned long long)(2u * nRanks);
  ncclGin(comm, index).waitSignal(ncclCoopCta(), blockIdx.x, least_3);
  ncclGin(comm, index).flush(ncclCoopCta());
}

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

__device__ __forceinline__ int add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__device__ __forceinline__ int sub(int a, int b) { return (int)((unsigned int)a - (unsigned int)b); }
__device__ __forceinline__ int mul(int a, int b) { return (int)((unsigned int)a * (unsigned int)b); }
__device__ __forceinline__ int shl(int a, int b) { return (int)((unsigned int)a << (b & 31)); }
__device__ __forceinline__ long long add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
__device__ __forceinline__ long long sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
__device__ __forceinline__ long long mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
__device__ __forceinline__ long long shl(long long a, long long b) { return (long long)((unsigned long long)a << (b & 63)); }
}  // namespace nts

extern "C" __global__ void rmsNormLsa(ncclWindow_t const win, unsigned int const hidden, float const eps, ncclDevComm const comm) {
  const int comm_lsaRank = comm.lsaRank;
  char* const win_own = static_cast<char*>(ncclGetLocalPointer(win, 0));
  const int comm_lsaSize = comm.lsaSize;
  char* const win_base = static_cast<char*>(ncclGetLsaPointer(win, 0, 0));
  const unsigned long long win_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(win, 0, 1)) - win_base);
  unsigned int i_3;
  float sum;
  int peer_1;
  float sum_1;
  unsigned int i_4;
  unsigned int half_1;
  unsigned int i_5;
  int step;
  unsigned int i_6;
  __shared__ float sharedArray[1024];
  nts::early(win_own, win_base); nts::wait_for_earlier();
  alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar0_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
  ncclLsaBarrierSession<ncclCoopCta>& bar0 = *new (bar0_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acquire);
  const unsigned int token = ((unsigned int)comm_lsaRank * gridDim.x) + blockIdx.x;
  const unsigned int offset = (token * hidden) * 4u;
  float* const mine = reinterpret_cast<float*>(win_own + (unsigned long long)offset);
  i_3 = threadIdx.x;
  for (; i_3 < hidden; i_3 = i_3 + blockDim.x) {
    sum = 0.0f;
    peer_1 = 0;
    for (; peer_1 < comm_lsaSize; peer_1++) {
      const float v_2 = reinterpret_cast<float*>(win_base + (win_step * peer_1 + (unsigned long long)offset))[i_3];
      sum = sum + v_2;
    }
    mine[i_3] = sum;
  }
  __syncthreads();
  sum_1 = 0.0f;
  i_4 = threadIdx.x;
  for (; i_4 < hidden; i_4 = i_4 + blockDim.x) {
    const float v_3 = mine[i_4];
    const float v_4 = mine[i_4];
    sum_1 = sum_1 + (v_3 * v_4);
  }
  sharedArray[threadIdx.x] = sum_1;
  __syncthreads();
  half_1 = blockDim.x / 2u;
  for (; half_1 > 0u; half_1 = half_1 / 2u) {
    if (threadIdx.x < half_1) {
      float* const at = sharedArray + threadIdx.x;
      const float v_5 = *at;
      const float v_6 = sharedArray[threadIdx.x + half_1];
      *at = v_5 + v_6;
    }
    __syncthreads();
  }
  const float v_7 = *sharedArray;
  const float scale = __frsqrt_rn(((v_7 / (float)hidden) + eps));
  i_5 = threadIdx.x;
  for (; i_5 < hidden; i_5 = i_5 + blockDim.x) {
    float* const at_1 = mine + i_5;
    const float v_8 = *at_1;
    *at_1 = v_8 * scale;
  }
  __syncthreads();
  step = 1;
  for (; step < comm_lsaSize; step++) {
    float* const theirs = reinterpret_cast<float*>(win_base + (win_step * (nts::add(comm_lsaRank, step) % comm_lsaSize) + (unsigned long long)offset));
    i_6 = threadIdx.x;
    for (; i_6 < hidden; i_6 = i_6 + blockDim.x) {
      const float v_9 = mine[i_6];
      theirs[i_6] = v_9;
    }
  }
  bar0.sync(ncclCoopCta(), cuda::memory_order_release);
  bar0.~ncclLsaBarrierSession();
}

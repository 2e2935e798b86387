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

template <class To, class From> __device__ __forceinline__ To bitcast(From const& x) {
  static_assert(sizeof(To) == sizeof(From), "the sizes are equal");
  To r;
  memcpy(&r, &x, sizeof(r));
  return r;
}

__device__ __forceinline__ float multimem_load_reduce_add_f32(float* p) {
  float w[1];
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(w[0]) : "l"(__cvta_generic_to_global(p)) : "memory");
  return bitcast<float>(w);
}

__device__ __forceinline__ void multimem_store_f32(float* p, float x) {
  float w[1];
  memcpy(w, &x, sizeof(w));
  asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "f"(w[0]) : "memory");
}
}  // namespace nts

extern "C" __global__ void rmsNormMultimem(ncclWindow_t const win, unsigned int const hidden, float const eps, ncclDevComm const comm) {
  const int comm_lsaRank = comm.lsaRank;
  char* const win_own = static_cast<char*>(ncclGetLocalPointer(win, 0));
  unsigned int i_1;
  float sum;
  unsigned int i_2;
  unsigned int half_1;
  unsigned int i_3;
  unsigned int i_4;
  __shared__ float sharedArray[1024];
  nts::early(win_own); nts::wait_for_earlier();
  alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar0_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
  ncclLsaBarrierSession<ncclCoopCta>& bar0 = *new (bar0_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x, true);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acquire);
  const unsigned int token = ((unsigned int)comm_lsaRank * gridDim.x) + blockIdx.x;
  const unsigned int offset = (token * hidden) * 4u;
  float* const mine = reinterpret_cast<float*>(win_own + (unsigned long long)offset);
  float* const all = static_cast<float*>(ncclGetLsaMultimemPointer(win, (unsigned long long)offset, comm));
  i_1 = threadIdx.x;
  for (; i_1 < hidden; i_1 = i_1 + blockDim.x) {
    float* const p = all + i_1;
    const float result = nts::multimem_load_reduce_add_f32(p);
    mine[i_1] = result;
  }
  __syncthreads();
  sum = 0.0f;
  i_2 = threadIdx.x;
  for (; i_2 < hidden; i_2 = i_2 + blockDim.x) {
    const float v_4 = mine[i_2];
    const float v_5 = mine[i_2];
    sum = sum + (v_4 * v_5);
  }
  sharedArray[threadIdx.x] = sum;
  __syncthreads();
  half_1 = blockDim.x / 2u;
  for (; half_1 > 0u; half_1 = half_1 / 2u) {
    if (threadIdx.x < half_1) {
      float* const at = sharedArray + threadIdx.x;
      const float v_6 = *at;
      const float v_7 = sharedArray[threadIdx.x + half_1];
      *at = v_6 + v_7;
    }
    __syncthreads();
  }
  const float v_8 = *sharedArray;
  const float scale = __frsqrt_rn(((v_8 / (float)hidden) + eps));
  i_3 = threadIdx.x;
  for (; i_3 < hidden; i_3 = i_3 + blockDim.x) {
    float* const at_1 = mine + i_3;
    const float v_9 = *at_1;
    *at_1 = v_9 * scale;
  }
  __syncthreads();
  i_4 = threadIdx.x;
  for (; i_4 < hidden; i_4 = i_4 + blockDim.x) {
    const float v_10 = mine[i_4];
    float* const p_1 = all + i_4;
    nts::multimem_store_f32(p_1, v_10);
  }
  bar0.sync(ncclCoopCta(), cuda::memory_order_release);
  bar0.~ncclLsaBarrierSession();
}

#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>

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

extern "C" __global__ void weighTokens(ncclWindow_t const returned, ncclWindow_t const weights, ncclWindow_t const out, unsigned int const tokens, unsigned int const topK, unsigned int const hidden) {
  char* const returned_own = static_cast<char*>(ncclGetLocalPointer(returned, 0));
  char* const weights_own = static_cast<char*>(ncclGetLocalPointer(weights, 0));
  char* const out_own = static_cast<char*>(ncclGetLocalPointer(out, 0));
  unsigned int token;
  unsigned int i;
  float sum;
  unsigned int k;
  float* const results = reinterpret_cast<float*>(returned_own + 0ull);
  float* const weight = reinterpret_cast<float*>(weights_own + 0ull);
  float* const sums = reinterpret_cast<float*>(out_own + 0ull);
  token = blockIdx.x;
  nts::early(returned_own, weights_own, out_own, results, weight, sums); nts::wait_for_earlier();
  for (; token < tokens; token = token + gridDim.x) {
    i = threadIdx.x;
    for (; i < hidden; i = i + blockDim.x) {
      sum = 0.0f;
      k = 0u;
      for (; k < topK; k++) {
        const unsigned int choice = (token * topK) + k;
        const float v = results[(choice * hidden) + i];
        const float v_1 = weight[choice];
        sum = sum + (v * v_1);
      }
      sums[(token * hidden) + i] = sum;
    }
  }
}

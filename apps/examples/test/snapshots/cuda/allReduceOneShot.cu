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

template <class T, int N> struct alignas(sizeof(T) * N) vec { T v[N]; };
template <class T, int N, class F> __device__ __forceinline__ auto map(vec<T, N> const& a, F f) -> vec<decltype(f(a.v[0])), N> {
  vec<decltype(f(a.v[0])), N> r;
#pragma unroll
  for (int i = 0; i < N; i++) r.v[i] = f(a.v[i]);
  return r;
}
template <class T, int N, class F> __device__ __forceinline__ auto zip(vec<T, N> const& a, vec<T, N> const& b, F f) -> vec<decltype(f(a.v[0], b.v[0])), N> {
  vec<decltype(f(a.v[0], b.v[0])), N> r;
#pragma unroll
  for (int i = 0; i < N; i++) r.v[i] = f(a.v[i], b.v[i]);
  return r;
}
template <class T, int N> __device__ __forceinline__ vec<T, N> splat(T x) {
  vec<T, N> r;
#pragma unroll
  for (int i = 0; i < N; i++) r.v[i] = x;
  return r;
}
template <class T, int N> __device__ __forceinline__ vec<T, N> with_lane(vec<T, N> a, unsigned int i, T x) {
#pragma unroll
  for (int k = 0; k < N; k++) if (k == i) a.v[k] = x;
  return a;
}
template <class T, int N> __device__ __forceinline__ T lane(vec<T, N> const& a, unsigned int i) {
  T r = a.v[0];
#pragma unroll
  for (int k = 1; k < N; k++) if (k == i) r = a.v[k];
  return r;
}

template <class To, class From> __device__ __forceinline__ To bitcast(From const& x) {
  static_assert(sizeof(To) == sizeof(From), "the sizes are equal");
  To r;
  memcpy(&r, &x, sizeof(r));
  return r;
}

__device__ __forceinline__ nts::vec<float, 4> multimem_load_reduce_add_f32x4(nts::vec<float, 4>* p) {
  float w[4];
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]) : "l"(__cvta_generic_to_global(p)) : "memory");
  return bitcast<nts::vec<float, 4>>(w);
}
}  // namespace nts

extern "C" __global__ void allReduceOneShot(ncclWindow_t const send, ncclWindow_t const recv, unsigned int const lines, ncclDevComm const comm) {
  char* const recv_own = static_cast<char*>(ncclGetLocalPointer(recv, 0));
  unsigned int i;
  nts::vec<float, 4>* const all = static_cast<nts::vec<float, 4>*>(ncclGetLsaMultimemPointer(send, 0ull, comm));
  nts::vec<float, 4>* const mine = reinterpret_cast<nts::vec<float, 4>*>(recv_own + 0ull);
  i = threadIdx.x + (blockIdx.x * blockDim.x);
  nts::early(recv_own, all, mine); nts::wait_for_earlier();
  for (; i < lines; i = i + (blockDim.x * gridDim.x)) {
    nts::vec<float, 4>* const p = all + i;
    const nts::vec<float, 4> result = nts::multimem_load_reduce_add_f32x4(p);
    mine[i] = result;
  }
}

#include <cuda_bf16.h>
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

__device__ __forceinline__ float f(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ __forceinline__ __nv_bfloat16 bf16(float x) { return __float2bfloat16_rn(x); }

template <class To, class From> __device__ __forceinline__ To bitcast(From const& x) {
  static_assert(sizeof(To) == sizeof(From), "the sizes are equal");
  To r;
  memcpy(&r, &x, sizeof(r));
  return r;
}

__device__ __forceinline__ nts::vec<__nv_bfloat16, 8> multimem_load_reduce_add_bf16x8(nts::vec<__nv_bfloat16, 8>* p) {
  unsigned int w[4];
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2 {%0, %1, %2, %3}, [%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(__cvta_generic_to_global(p)) : "memory");
  return bitcast<nts::vec<__nv_bfloat16, 8>>(w);
}

__device__ __forceinline__ void multimem_store_bf16x8(nts::vec<__nv_bfloat16, 8>* p, nts::vec<__nv_bfloat16, 8> x) {
  unsigned int w[4];
  memcpy(w, &x, sizeof(w));
  asm volatile("multimem.st.relaxed.sys.global.v4.bf16x2 [%0], {%1, %2, %3, %4};" : : "l"(__cvta_generic_to_global(p)), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
}

__device__ __forceinline__ void multimem_reduce_add_f32x2(nts::vec<float, 2>* p, nts::vec<float, 2> x) {
  float w[2];
  memcpy(w, &x, sizeof(w));
  asm volatile("multimem.red.relaxed.sys.global.add.v2.f32 [%0], {%1, %2};" : : "l"(__cvta_generic_to_global(p)), "f"(w[0]), "f"(w[1]) : "memory");
}

__device__ __forceinline__ unsigned int multimem_load_reduce_xor_u32(unsigned int* p) {
  unsigned int w[1];
  asm volatile("multimem.ld_reduce.relaxed.sys.global.xor.b32 %0, [%1];" : "=r"(w[0]) : "l"(__cvta_generic_to_global(p)) : "memory");
  return bitcast<unsigned int>(w);
}

__device__ __forceinline__ void multimem_reduce_max_u32(unsigned int* p, unsigned int x) {
  unsigned int w[1];
  memcpy(w, &x, sizeof(w));
  asm volatile("multimem.red.relaxed.sys.global.max.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(w[0]) : "memory");
}

__device__ __forceinline__ long long multimem_load_reduce_add_i64(long long* p) {
  unsigned long long w[1];
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u64 %0, [%1];" : "=l"(w[0]) : "l"(__cvta_generic_to_global(p)) : "memory");
  return bitcast<long long>(w);
}

__device__ __forceinline__ void multimem_store_f64(double* p, double x) {
  double w[1];
  memcpy(w, &x, sizeof(w));
  asm volatile("multimem.st.relaxed.sys.global.f64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "d"(w[0]) : "memory");
}
}  // namespace nts

extern "C" __global__ void reduces(ncclDevComm const comm, unsigned long long const handle_mcBasePtr, ncclWindow_t const win) {
  const unsigned long long comm_lsaMultimem_mcBasePtr = reinterpret_cast<unsigned long long>(comm.lsaMultimem.mcBasePtr);
  nts::vec<__nv_bfloat16, 8>* const p = static_cast<nts::vec<__nv_bfloat16, 8>*>(ncclGetLsaMultimemPointer(win, 64ull, comm)) + threadIdx.x;
  nts::wait_for_earlier();
  const nts::vec<__nv_bfloat16, 8> result = nts::multimem_load_reduce_add_bf16x8(p);
  nts::multimem_store_bf16x8(p, result);
  nts::vec<float, 2>* const p_1 = static_cast<nts::vec<float, 2>*>(ncclGetMultimemPointer(win, 0ull, ncclMultimemHandle{reinterpret_cast<void*>(handle_mcBasePtr)}));
  const nts::vec<float, 2> v_17 = nts::vec<float, 2>{{1.0f, 2.0f}};
  nts::multimem_reduce_add_f32x2(p_1, v_17);
  unsigned int* const q = static_cast<unsigned int*>(ncclGetMultimemPointer(win, 8ull, ncclMultimemHandle{reinterpret_cast<void*>(comm_lsaMultimem_mcBasePtr)}));
  const unsigned int result_1 = nts::multimem_load_reduce_xor_u32(q);
  nts::multimem_reduce_max_u32(q, result_1);
  long long* const p_2 = static_cast<long long*>(ncclGetMultimemPointer(win, 8ull, ncclMultimemHandle{reinterpret_cast<void*>(handle_mcBasePtr)}));
  nts::multimem_load_reduce_add_i64(p_2);
  double* const p_3 = static_cast<double*>(ncclGetMultimemPointer(win, 8ull, ncclMultimemHandle{reinterpret_cast<void*>(handle_mcBasePtr)}));
  nts::multimem_store_f64(p_3, 0.5);
}

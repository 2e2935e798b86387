#include <cuda_bf16.h>
#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/comm__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/ll_a2a__funcs.h>

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

// Several elements in memory, as one value.
template <class T, int N> struct run { T v[N]; };

__device__ __forceinline__ float f(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ __forceinline__ __nv_bfloat16 bf16(float x) { return __float2bfloat16_rn(x); }

__device__ __forceinline__ int add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__device__ __forceinline__ int sub(int a, int b) { return (int)((unsigned int)a - (unsigned int)b); }
__device__ __forceinline__ int mul(int a, int b) { return (int)((unsigned int)a * (unsigned int)b); }
__device__ __forceinline__ int shl(int a, int b) { return (int)((unsigned int)a << (b & 31)); }
__device__ __forceinline__ long long add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
__device__ __forceinline__ long long sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
__device__ __forceinline__ long long mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
__device__ __forceinline__ long long shl(long long a, long long b) { return (long long)((unsigned long long)a << (b & 63)); }
}  // namespace nts

extern "C" __global__ void exchanges(ncclDevComm const comm, int const t_nRanks, int const t_rank, int const t_stride, unsigned int const handle_bufHandle, unsigned int const handle_nSlots, unsigned int const handle_nBlocks, unsigned int const n) {
  float acc;
  int i_1;
  float localArray[6];
  float localArray_1[2];
  nts::wait_for_earlier();
  alignas(ncclLLA2ASession<ncclCoopCta>) unsigned char a2a0_place[sizeof(ncclLLA2ASession<ncclCoopCta>)];
  ncclLLA2ASession<ncclCoopCta>& a2a0 = *new (a2a0_place) ncclLLA2ASession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeam{t_nRanks, t_rank, t_stride}, ncclLLA2AHandle{handle_bufHandle, handle_nSlots}, blockIdx.x, 64);
  const int elt = (int)threadIdx.x;
  const __nv_bfloat16 data = nts::bf16((float)n);
  a2a0.send<__nv_bfloat16>(1, elt, data);
  const nts::vec<float, 4> data_1 = nts::splat<float, 4>(1.0f);
  a2a0.bcast<nts::vec<float, 4>>(2, data_1);
  const int eltCount = (int)n;
  a2a0.recvUnrolled<1, 2>(3, eltCount, 4, *reinterpret_cast<nts::run<float, 3> (*)[2]>(localArray));
  const int peer_3 = nts::sub(t_nRanks, 1);
  a2a0.send<nts::run<float, 3>>(peer_3, 5, *reinterpret_cast<nts::run<float, 3> const*>(localArray));
  const int eltStart = (int)threadIdx.x;
  a2a0.recvUnrolled<0, 2>(eltStart, t_nRanks, 32, *reinterpret_cast<float (*)[2]>(localArray_1));
  const float v_24 = *localArray_1;
  acc = v_24;
  if (1 < t_nRanks) {
    const float v_25 = localArray_1[1];
    const float a = acc;
    acc = a + v_25;
  }
  i_1 = 2;
  for (; nts::add(i_1, 2) <= t_nRanks; i_1 = nts::add(i_1, 2)) {
    const int eltStart_1 = nts::add(eltStart, nts::mul(i_1, 32));
    a2a0.recvUnrolled<2, 2>(eltStart_1, 2, 32, *reinterpret_cast<float (*)[2]>(localArray_1));
    const float v_32 = *localArray_1;
    const float a_1 = acc;
    acc = a_1 + v_32;
    const float v_33 = localArray_1[1];
    const float a_2 = acc;
    acc = a_2 + v_33;
  }
  if (i_1 < t_nRanks) {
    const int eltStart_2 = nts::add(eltStart, nts::mul(i_1, 32));
    const int eltCount_1 = nts::sub(t_nRanks, i_1);
    a2a0.recvUnrolled<1, 2>(eltStart_2, eltCount_1, 32, *reinterpret_cast<float (*)[2]>(localArray_1));
    if (nts::add(i_1, 0) < t_nRanks) {
      const float v_40 = *localArray_1;
      const float a_3 = acc;
      acc = a_3 + v_40;
    }
    if (nts::add(i_1, 1) < t_nRanks) {
      const float v_41 = localArray_1[1];
      const float a_4 = acc;
      acc = a_4 + v_41;
    }
  }
  const float sum = acc;
  a2a0.recv<float>(0);
  const float result = a2a0.recv<float>(6);
  const float data_2 = result + sum;
  a2a0.bcast<float>(7, data_2);
  a2a0.endEpoch(a2a0.coop);
  a2a0.~ncclLLA2ASession();
}

#include <cuda_bf16.h>
#include <cuda/atomic>
#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>

namespace nts {
__device__ __forceinline__ unsigned int thread_linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ unsigned int lane_id() { return thread_linear() & 31u; }

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

__device__ __forceinline__ int add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__device__ __forceinline__ int sub(int a, int b) { return (int)((unsigned int)a - (unsigned int)b); }
__device__ __forceinline__ int mul(int a, int b) { return (int)((unsigned int)a * (unsigned int)b); }
__device__ __forceinline__ int shl(int a, int b) { return (int)((unsigned int)a << (b & 31)); }
__device__ __forceinline__ long long add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
__device__ __forceinline__ long long sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
__device__ __forceinline__ long long mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
__device__ __forceinline__ long long shl(long long a, long long b) { return (long long)((unsigned long long)a << (b & 63)); }

template <int Bytes> struct word;
template <> struct word<1> { using type = unsigned char; };
template <> struct word<2> { using type = unsigned short; };
template <> struct word<4> { using type = unsigned int; };
template <> struct word<8> { using type = unsigned long long; };
template <cuda::thread_scope S, class T> __device__ __forceinline__ T load(T* p, cuda::memory_order order) {
  using W = typename word<sizeof(T)>::type;
  return bitcast<T>(cuda::atomic_ref<W, S>(*reinterpret_cast<W*>(p)).load(order));
}
template <cuda::thread_scope S, class T> __device__ __forceinline__ void store(T* p, T x, cuda::memory_order order) {
  using W = typename word<sizeof(T)>::type;
  cuda::atomic_ref<W, S>(*reinterpret_cast<W*>(p)).store(bitcast<W>(x), order);
}
template <cuda::thread_scope S, class T> __device__ __forceinline__ T cas(T* p, T expected, T desired, cuda::memory_order order) {
  cuda::atomic_ref<T, S>(*p).compare_exchange_strong(expected, desired, order);
  return expected;
}
template <cuda::thread_scope S, class T> __device__ __forceinline__ T exch(T* p, T x, cuda::memory_order order) {
  using W = typename word<sizeof(T)>::type;
  return bitcast<T>(cuda::atomic_ref<W, S>(*reinterpret_cast<W*>(p)).exchange(bitcast<W>(x), order));
}
}  // namespace nts

extern "C" __global__ void exchanges(ncclDevComm const comm, int const t_nRanks, int const t_rank, int const t_stride, unsigned int const handle_bufHandle, unsigned int const handle_nSlots, unsigned int const handle_nBlocks, unsigned int const n, unsigned int* const abort_word) {
  const ncclWindow_t comm_resourceWindow = comm.resourceWindow;
  const int comm_lsaRank = comm.lsaRank;
  unsigned int llA2A_session_epoch;
  unsigned int word;
  int i;
  unsigned int word_2;
  unsigned int word_3;
  unsigned int word_4;
  unsigned int word_5;
  unsigned int differing;
  unsigned int differing_1;
  unsigned int differing_2;
  unsigned int word_6;
  unsigned int word_7;
  unsigned int word_8;
  unsigned int differing_3;
  unsigned int differing_4;
  unsigned int differing_5;
  float acc;
  int i_1;
  unsigned int differing_6;
  unsigned int differing_7;
  unsigned int differing_8;
  unsigned int differing_9;
  unsigned int differing_10;
  unsigned int differing_11;
  unsigned int differing_12;
  unsigned int differing_13;
  unsigned int differing_14;
  unsigned int differing_15;
  float result;
  int i_2;
  unsigned int word_10;
  unsigned int i_3;
  float localArray[6];
  float localArray_1[2];
  const unsigned int v = static_cast<unsigned int*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank))[4u * (blockIdx.x * (1u + (2u * handle_nSlots)))];
  llA2A_session_epoch = v + 2u;
  const int elt = (int)threadIdx.x;
  const __nv_bfloat16 data = nts::bf16((float)n);
  const int peer = nts::add(comm_lsaRank, nts::mul(nts::sub(1, t_rank), t_stride));
  unsigned long long* const halves = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), peer));
  unsigned long long* const slot = halves + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt));
  word = 0u;
  word = word | ((unsigned int)nts::bitcast<unsigned short>(data) << (0u & 31));
  const unsigned long long flagged = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word, llA2A_session_epoch}});
  nts::store<cuda::thread_scope_system>(slot, flagged, cuda::memory_order_relaxed);
  const unsigned int word_1 = 0u;
  const unsigned long long flagged_1 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_1, llA2A_session_epoch}});
  nts::store<cuda::thread_scope_system>((slot + 1u), flagged_1, cuda::memory_order_relaxed);
  const nts::vec<float, 4> data_1 = nts::splat<float, 4>(1.0f);
  i = 0;
  for (; i < t_nRanks; i++) {
    const int peer_1 = nts::add(t_rank, i) % t_nRanks;
    const int peer_2 = nts::add(comm_lsaRank, nts::mul(nts::sub(peer_1, t_rank), t_stride));
    unsigned long long* const halves_1 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), peer_2));
    unsigned long long* const slot_1 = halves_1 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)2));
    word_2 = 0u;
    word_2 = nts::bitcast<nts::vec<unsigned int, 4>>(data_1).v[0];
    const unsigned long long flagged_2 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_2, llA2A_session_epoch}});
    nts::store<cuda::thread_scope_system>(slot_1, flagged_2, cuda::memory_order_relaxed);
    word_3 = 0u;
    word_3 = nts::bitcast<nts::vec<unsigned int, 4>>(data_1).v[1];
    const unsigned long long flagged_3 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_3, llA2A_session_epoch}});
    nts::store<cuda::thread_scope_system>((slot_1 + 1u), flagged_3, cuda::memory_order_relaxed);
    word_4 = 0u;
    word_4 = nts::bitcast<nts::vec<unsigned int, 4>>(data_1).v[2];
    const unsigned long long flagged_4 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_4, llA2A_session_epoch}});
    nts::store<cuda::thread_scope_system>((slot_1 + ((2u * (unsigned int)64) + 0u)), flagged_4, cuda::memory_order_relaxed);
    word_5 = 0u;
    word_5 = nts::bitcast<nts::vec<unsigned int, 4>>(data_1).v[3];
    const unsigned long long flagged_5 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_5, llA2A_session_epoch}});
    nts::store<cuda::thread_scope_system>((slot_1 + ((2u * (unsigned int)64) + 1u)), flagged_5, cuda::memory_order_relaxed);
  }
  const int eltCount = (int)n;
  const int elt_1 = nts::add(3, nts::mul(0, 4));
  if (1 < eltCount) {
    const int elt_2 = nts::add(3, nts::mul(1, 4));
  }
  for (;;) {
    differing = 0u;
    const int elt_3 = nts::add(3, nts::mul(0, 4));
    differing_1 = 0u;
    unsigned long long* const halves_2 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_1 = nts::load<cuda::thread_scope_system>((halves_2 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_3))), cuda::memory_order_relaxed);
    differing_1 = differing_1 | ((unsigned int)(v_1 >> (32ull & 63)) ^ llA2A_session_epoch);
    unsigned long long* const halves_3 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_2 = nts::load<cuda::thread_scope_system>(((halves_3 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_3))) + 1u), cuda::memory_order_relaxed);
    differing_1 = differing_1 | ((unsigned int)(v_2 >> (32ull & 63)) ^ llA2A_session_epoch);
    unsigned long long* const halves_4 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_3 = nts::load<cuda::thread_scope_system>(((halves_4 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_3))) + ((2u * (unsigned int)64) + 0u)), cuda::memory_order_relaxed);
    differing_1 = differing_1 | ((unsigned int)(v_3 >> (32ull & 63)) ^ llA2A_session_epoch);
    unsigned long long* const halves_5 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_4 = nts::load<cuda::thread_scope_system>(((halves_5 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_3))) + ((2u * (unsigned int)64) + 1u)), cuda::memory_order_relaxed);
    differing_1 = differing_1 | ((unsigned int)(v_4 >> (32ull & 63)) ^ llA2A_session_epoch);
    differing = differing | differing_1;
    if (1 < eltCount) {
      const int elt_4 = nts::add(3, nts::mul(1, 4));
      differing_2 = 0u;
      unsigned long long* const halves_6 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_5 = nts::load<cuda::thread_scope_system>((halves_6 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_4))), cuda::memory_order_relaxed);
      differing_2 = differing_2 | ((unsigned int)(v_5 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_7 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_6 = nts::load<cuda::thread_scope_system>(((halves_7 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_4))) + 1u), cuda::memory_order_relaxed);
      differing_2 = differing_2 | ((unsigned int)(v_6 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_8 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_7 = nts::load<cuda::thread_scope_system>(((halves_8 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_4))) + ((2u * (unsigned int)64) + 0u)), cuda::memory_order_relaxed);
      differing_2 = differing_2 | ((unsigned int)(v_7 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_9 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_8 = nts::load<cuda::thread_scope_system>(((halves_9 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_4))) + ((2u * (unsigned int)64) + 1u)), cuda::memory_order_relaxed);
      differing_2 = differing_2 | ((unsigned int)(v_8 >> (32ull & 63)) ^ llA2A_session_epoch);
      differing = differing | differing_2;
    }
    if (differing == 0u) break;
    if (*(volatile unsigned int*)abort_word != 0) return;
  }
  const int elt_5 = nts::add(3, nts::mul(0, 4));
  unsigned long long* const halves_10 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
  const unsigned long long v_9 = nts::load<cuda::thread_scope_system>((halves_10 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_5))), cuda::memory_order_relaxed);
  const float element = nts::bitcast<float>((unsigned int)v_9);
  *localArray = element;
  unsigned long long* const halves_11 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
  const unsigned long long v_10 = nts::load<cuda::thread_scope_system>(((halves_11 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_5))) + 1u), cuda::memory_order_relaxed);
  const float element_1 = nts::bitcast<float>((unsigned int)v_10);
  localArray[1] = element_1;
  unsigned long long* const halves_12 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
  const unsigned long long v_11 = nts::load<cuda::thread_scope_system>(((halves_12 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_5))) + ((2u * (unsigned int)64) + 0u)), cuda::memory_order_relaxed);
  const float element_2 = nts::bitcast<float>((unsigned int)v_11);
  localArray[2] = element_2;
  if (1 < eltCount) {
    const int elt_6 = nts::add(3, nts::mul(1, 4));
    unsigned long long* const halves_13 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_12 = nts::load<cuda::thread_scope_system>((halves_13 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_6))), cuda::memory_order_relaxed);
    const float element_3 = nts::bitcast<float>((unsigned int)v_12);
    localArray[3] = element_3;
    unsigned long long* const halves_14 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_13 = nts::load<cuda::thread_scope_system>(((halves_14 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_6))) + 1u), cuda::memory_order_relaxed);
    const float element_4 = nts::bitcast<float>((unsigned int)v_13);
    localArray[4] = element_4;
    unsigned long long* const halves_15 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_14 = nts::load<cuda::thread_scope_system>(((halves_15 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_6))) + ((2u * (unsigned int)64) + 0u)), cuda::memory_order_relaxed);
    const float element_5 = nts::bitcast<float>((unsigned int)v_14);
    localArray[5] = element_5;
  }
  const int peer_3 = nts::sub(t_nRanks, 1);
  const int peer_4 = nts::add(comm_lsaRank, nts::mul(nts::sub(peer_3, t_rank), t_stride));
  unsigned long long* const halves_16 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), peer_4));
  unsigned long long* const slot_2 = halves_16 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)5));
  word_6 = 0u;
  const float v_15 = *localArray;
  word_6 = nts::bitcast<unsigned int>(v_15);
  const unsigned long long flagged_6 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_6, llA2A_session_epoch}});
  nts::store<cuda::thread_scope_system>(slot_2, flagged_6, cuda::memory_order_relaxed);
  word_7 = 0u;
  const float v_16 = localArray[1];
  word_7 = nts::bitcast<unsigned int>(v_16);
  const unsigned long long flagged_7 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_7, llA2A_session_epoch}});
  nts::store<cuda::thread_scope_system>((slot_2 + 1u), flagged_7, cuda::memory_order_relaxed);
  word_8 = 0u;
  const float v_17 = localArray[2];
  word_8 = nts::bitcast<unsigned int>(v_17);
  const unsigned long long flagged_8 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_8, llA2A_session_epoch}});
  nts::store<cuda::thread_scope_system>((slot_2 + ((2u * (unsigned int)64) + 0u)), flagged_8, cuda::memory_order_relaxed);
  const unsigned int word_9 = 0u;
  const unsigned long long flagged_9 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_9, llA2A_session_epoch}});
  nts::store<cuda::thread_scope_system>((slot_2 + ((2u * (unsigned int)64) + 1u)), flagged_9, cuda::memory_order_relaxed);
  const int eltStart = (int)threadIdx.x;
  if (0 < t_nRanks) {
    const int elt_7 = nts::add(eltStart, nts::mul(0, 32));
  }
  if (1 < t_nRanks) {
    const int elt_8 = nts::add(eltStart, nts::mul(1, 32));
  }
  for (;;) {
    differing_3 = 0u;
    if (0 < t_nRanks) {
      const int elt_9 = nts::add(eltStart, nts::mul(0, 32));
      differing_4 = 0u;
      unsigned long long* const halves_17 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_18 = nts::load<cuda::thread_scope_system>((halves_17 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_9))), cuda::memory_order_relaxed);
      differing_4 = differing_4 | ((unsigned int)(v_18 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_18 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_19 = nts::load<cuda::thread_scope_system>(((halves_18 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_9))) + 1u), cuda::memory_order_relaxed);
      differing_4 = differing_4 | ((unsigned int)(v_19 >> (32ull & 63)) ^ llA2A_session_epoch);
      differing_3 = differing_3 | differing_4;
    }
    if (1 < t_nRanks) {
      const int elt_10 = nts::add(eltStart, nts::mul(1, 32));
      differing_5 = 0u;
      unsigned long long* const halves_19 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_20 = nts::load<cuda::thread_scope_system>((halves_19 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_10))), cuda::memory_order_relaxed);
      differing_5 = differing_5 | ((unsigned int)(v_20 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_20 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_21 = nts::load<cuda::thread_scope_system>(((halves_20 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_10))) + 1u), cuda::memory_order_relaxed);
      differing_5 = differing_5 | ((unsigned int)(v_21 >> (32ull & 63)) ^ llA2A_session_epoch);
      differing_3 = differing_3 | differing_5;
    }
    if (differing_3 == 0u) break;
    if (*(volatile unsigned int*)abort_word != 0) return;
  }
  if (0 < t_nRanks) {
    const int elt_11 = nts::add(eltStart, nts::mul(0, 32));
    unsigned long long* const halves_21 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_22 = nts::load<cuda::thread_scope_system>((halves_21 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_11))), cuda::memory_order_relaxed);
    const float element_6 = nts::bitcast<float>((unsigned int)v_22);
    *localArray_1 = element_6;
  }
  if (1 < t_nRanks) {
    const int elt_12 = nts::add(eltStart, nts::mul(1, 32));
    unsigned long long* const halves_22 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_23 = nts::load<cuda::thread_scope_system>((halves_22 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_12))), cuda::memory_order_relaxed);
    const float element_7 = nts::bitcast<float>((unsigned int)v_23);
    localArray_1[1] = element_7;
  }
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
    const int elt_13 = nts::add(eltStart_1, nts::mul(0, 32));
    const int elt_14 = nts::add(eltStart_1, nts::mul(1, 32));
    for (;;) {
      differing_6 = 0u;
      const int elt_15 = nts::add(eltStart_1, nts::mul(0, 32));
      differing_7 = 0u;
      unsigned long long* const halves_23 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_26 = nts::load<cuda::thread_scope_system>((halves_23 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_15))), cuda::memory_order_relaxed);
      differing_7 = differing_7 | ((unsigned int)(v_26 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_24 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_27 = nts::load<cuda::thread_scope_system>(((halves_24 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_15))) + 1u), cuda::memory_order_relaxed);
      differing_7 = differing_7 | ((unsigned int)(v_27 >> (32ull & 63)) ^ llA2A_session_epoch);
      differing_6 = differing_6 | differing_7;
      const int elt_16 = nts::add(eltStart_1, nts::mul(1, 32));
      differing_8 = 0u;
      unsigned long long* const halves_25 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_28 = nts::load<cuda::thread_scope_system>((halves_25 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_16))), cuda::memory_order_relaxed);
      differing_8 = differing_8 | ((unsigned int)(v_28 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_26 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_29 = nts::load<cuda::thread_scope_system>(((halves_26 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_16))) + 1u), cuda::memory_order_relaxed);
      differing_8 = differing_8 | ((unsigned int)(v_29 >> (32ull & 63)) ^ llA2A_session_epoch);
      differing_6 = differing_6 | differing_8;
      if (differing_6 == 0u) break;
      if (*(volatile unsigned int*)abort_word != 0) return;
    }
    const int elt_17 = nts::add(eltStart_1, nts::mul(0, 32));
    unsigned long long* const halves_27 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_30 = nts::load<cuda::thread_scope_system>((halves_27 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_17))), cuda::memory_order_relaxed);
    const float element_8 = nts::bitcast<float>((unsigned int)v_30);
    *localArray_1 = element_8;
    const int elt_18 = nts::add(eltStart_1, nts::mul(1, 32));
    unsigned long long* const halves_28 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_31 = nts::load<cuda::thread_scope_system>((halves_28 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_18))), cuda::memory_order_relaxed);
    const float element_9 = nts::bitcast<float>((unsigned int)v_31);
    localArray_1[1] = element_9;
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
    const int elt_19 = nts::add(eltStart_2, nts::mul(0, 32));
    if (1 < eltCount_1) {
      const int elt_20 = nts::add(eltStart_2, nts::mul(1, 32));
    }
    for (;;) {
      differing_9 = 0u;
      const int elt_21 = nts::add(eltStart_2, nts::mul(0, 32));
      differing_10 = 0u;
      unsigned long long* const halves_29 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_34 = nts::load<cuda::thread_scope_system>((halves_29 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_21))), cuda::memory_order_relaxed);
      differing_10 = differing_10 | ((unsigned int)(v_34 >> (32ull & 63)) ^ llA2A_session_epoch);
      unsigned long long* const halves_30 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_35 = nts::load<cuda::thread_scope_system>(((halves_30 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_21))) + 1u), cuda::memory_order_relaxed);
      differing_10 = differing_10 | ((unsigned int)(v_35 >> (32ull & 63)) ^ llA2A_session_epoch);
      differing_9 = differing_9 | differing_10;
      if (1 < eltCount_1) {
        const int elt_22 = nts::add(eltStart_2, nts::mul(1, 32));
        differing_11 = 0u;
        unsigned long long* const halves_31 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
        const unsigned long long v_36 = nts::load<cuda::thread_scope_system>((halves_31 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_22))), cuda::memory_order_relaxed);
        differing_11 = differing_11 | ((unsigned int)(v_36 >> (32ull & 63)) ^ llA2A_session_epoch);
        unsigned long long* const halves_32 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
        const unsigned long long v_37 = nts::load<cuda::thread_scope_system>(((halves_32 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_22))) + 1u), cuda::memory_order_relaxed);
        differing_11 = differing_11 | ((unsigned int)(v_37 >> (32ull & 63)) ^ llA2A_session_epoch);
        differing_9 = differing_9 | differing_11;
      }
      if (differing_9 == 0u) break;
      if (*(volatile unsigned int*)abort_word != 0) return;
    }
    const int elt_23 = nts::add(eltStart_2, nts::mul(0, 32));
    unsigned long long* const halves_33 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_38 = nts::load<cuda::thread_scope_system>((halves_33 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_23))), cuda::memory_order_relaxed);
    const float element_10 = nts::bitcast<float>((unsigned int)v_38);
    *localArray_1 = element_10;
    if (1 < eltCount_1) {
      const int elt_24 = nts::add(eltStart_2, nts::mul(1, 32));
      unsigned long long* const halves_34 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
      const unsigned long long v_39 = nts::load<cuda::thread_scope_system>((halves_34 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_24))), cuda::memory_order_relaxed);
      const float element_11 = nts::bitcast<float>((unsigned int)v_39);
      localArray_1[1] = element_11;
    }
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
  const int elt_25 = nts::add(0, 0);
  for (;;) {
    differing_12 = 0u;
    const int elt_26 = nts::add(0, 0);
    differing_13 = 0u;
    unsigned long long* const halves_35 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_42 = nts::load<cuda::thread_scope_system>((halves_35 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_26))), cuda::memory_order_relaxed);
    differing_13 = differing_13 | ((unsigned int)(v_42 >> (32ull & 63)) ^ llA2A_session_epoch);
    unsigned long long* const halves_36 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_43 = nts::load<cuda::thread_scope_system>(((halves_36 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_26))) + 1u), cuda::memory_order_relaxed);
    differing_13 = differing_13 | ((unsigned int)(v_43 >> (32ull & 63)) ^ llA2A_session_epoch);
    differing_12 = differing_12 | differing_13;
    if (differing_12 == 0u) break;
    if (*(volatile unsigned int*)abort_word != 0) return;
  }
  unsigned long long* const halves_37 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
  const unsigned long long v_44 = nts::load<cuda::thread_scope_system>((halves_37 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)0))), cuda::memory_order_relaxed);
  const int elt_27 = nts::add(6, 0);
  for (;;) {
    differing_14 = 0u;
    const int elt_28 = nts::add(6, 0);
    differing_15 = 0u;
    unsigned long long* const halves_38 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_45 = nts::load<cuda::thread_scope_system>((halves_38 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_28))), cuda::memory_order_relaxed);
    differing_15 = differing_15 | ((unsigned int)(v_45 >> (32ull & 63)) ^ llA2A_session_epoch);
    unsigned long long* const halves_39 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    const unsigned long long v_46 = nts::load<cuda::thread_scope_system>(((halves_39 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_28))) + 1u), cuda::memory_order_relaxed);
    differing_15 = differing_15 | ((unsigned int)(v_46 >> (32ull & 63)) ^ llA2A_session_epoch);
    differing_14 = differing_14 | differing_15;
    if (differing_14 == 0u) break;
    if (*(volatile unsigned int*)abort_word != 0) return;
  }
  unsigned long long* const halves_40 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
  const unsigned long long v_47 = nts::load<cuda::thread_scope_system>((halves_40 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)6))), cuda::memory_order_relaxed);
  result = nts::bitcast<float>((unsigned int)v_47);
  const float data_2 = result + sum;
  i_2 = 0;
  for (; i_2 < t_nRanks; i_2++) {
    const int peer_5 = nts::add(t_rank, i_2) % t_nRanks;
    const int peer_6 = nts::add(comm_lsaRank, nts::mul(nts::sub(peer_5, t_rank), t_stride));
    unsigned long long* const halves_41 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), peer_6));
    unsigned long long* const slot_3 = halves_41 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)7));
    word_10 = 0u;
    word_10 = nts::bitcast<unsigned int>(data_2);
    const unsigned long long flagged_10 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_10, llA2A_session_epoch}});
    nts::store<cuda::thread_scope_system>(slot_3, flagged_10, cuda::memory_order_relaxed);
    const unsigned int word_11 = 0u;
    const unsigned long long flagged_11 = nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_11, llA2A_session_epoch}});
    nts::store<cuda::thread_scope_system>((slot_3 + 1u), flagged_11, cuda::memory_order_relaxed);
  }
  __syncthreads();
  if (llA2A_session_epoch >= 4294967294u) {
    unsigned long long* const halves_42 = static_cast<unsigned long long*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    unsigned long long* const halves_43 = halves_42 + (2u * ((((blockIdx.x * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + 0u));
    i_3 = nts::thread_linear();
    for (; i_3 < (2u * handle_nSlots); i_3 = i_3 + (blockDim.x * blockDim.y * blockDim.z)) {
      nts::store<cuda::thread_scope_system>((halves_43 + i_3), 0ull, cuda::memory_order_relaxed);
    }
  }
  __syncthreads();
  llA2A_session_epoch = (llA2A_session_epoch == 4294967295u) ? 2u : (llA2A_session_epoch + 1u);
  if (nts::thread_linear() == 0u) {
    unsigned int* const words = static_cast<unsigned int*>(ncclGetLsaPointer(comm_resourceWindow, ((unsigned long long)handle_bufHandle * 128ull), comm_lsaRank));
    words[4u * (blockIdx.x * (1u + (2u * handle_nSlots)))] = llA2A_session_epoch - 2u;
  }
  __syncthreads();
}

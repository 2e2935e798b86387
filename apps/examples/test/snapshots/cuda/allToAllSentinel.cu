#include <cuda/atomic>
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

template <class To, class From> __device__ __forceinline__ To bitcast(From const& x) {
  static_assert(sizeof(To) == sizeof(From), "the sizes are equal");
  To r;
  memcpy(&r, &x, sizeof(r));
  return r;
}

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

extern "C" __global__ void allToAllSentinel(ncclWindow_t const send, ncclWindow_t const recv, ncclWindow_t const clear, unsigned int const lines, bool const meet, ncclDevComm const comm) {
  const int comm_lsaSize = comm.lsaSize;
  char* const send_own = static_cast<char*>(ncclGetLocalPointer(send, 0));
  char* const recv_base = static_cast<char*>(ncclGetLsaPointer(recv, 0, 0));
  const unsigned long long recv_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(recv, 0, 1)) - recv_base);
  const int comm_lsaRank = comm.lsaRank;
  char* const recv_own = static_cast<char*>(ncclGetLocalPointer(recv, 0));
  char* const clear_own = static_cast<char*>(ncclGetLocalPointer(clear, 0));
  unsigned int share;
  unsigned int i_3;
  unsigned int i_4;
  unsigned int i_5;
  const unsigned int each = ((lines + gridDim.x) - 1u) / gridDim.x;
  const unsigned int first = blockIdx.x * each;
  nts::early(send_own, recv_base, recv_own, clear_own); nts::wait_for_earlier();
  if (!(first >= lines)) {
    if (meet) {
      alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar0_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
      ncclLsaBarrierSession<ncclCoopCta>& bar0 = *new (bar0_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
      bar0.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
      bar0.~ncclLsaBarrierSession();
    }
    const unsigned int end = (first + each) < lines ? (first + each) : lines;
    __syncthreads();
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
    const unsigned int length = 4u * lines;
    const unsigned int first_1 = 4u * first;
    const unsigned int end_1 = 4u * end;
    const unsigned int nRanks = (unsigned int)comm_lsaSize;
    const unsigned int nWarps = blockDim.x / 32u;
    const unsigned int parts = (nWarps / nRanks) > 1u ? (nWarps / nRanks) : 1u;
    const unsigned int part = (((end_1 - first_1) + parts) - 1u) / parts;
    unsigned int* const mine = reinterpret_cast<unsigned int*>(send_own + 0ull);
    share = threadIdx.x / 32u;
    for (; share < (nRanks * parts); share = share + nWarps) {
      const unsigned int peer_1 = share % nRanks;
      const unsigned int from = first_1 + ((share / nRanks) * part);
      unsigned int* const theirs = reinterpret_cast<unsigned int*>(recv_base + (recv_step * (int)peer_1 + 0ull));
      i_3 = from + nts::lane_id();
      for (; i_3 < ((from + part) < end_1 ? (from + part) : end_1); i_3 = i_3 + 32u) {
        const unsigned int at = ((unsigned int)comm_lsaRank * length) + i_3;
        const unsigned int v_2 = mine[(peer_1 * length) + i_3];
        nts::store<cuda::thread_scope_system>((theirs + at), v_2, cuda::memory_order_relaxed);
      }
    }
    const unsigned int mine_1 = end - first;
    const unsigned int nRanks_1 = (unsigned int)comm_lsaSize;
    unsigned int* const words = reinterpret_cast<unsigned int*>(recv_own + 0ull);
    for (i_4 = nts::thread_linear(); i_4 < ((nRanks_1 * 4u) * mine_1); i_4 += (blockDim.x * blockDim.y * blockDim.z)) {
      for (;;) {
        const unsigned int chunk = i_4 / (4u * mine_1);
        const unsigned int v_3 = nts::load<cuda::thread_scope_system>((words + ((4u * ((chunk * lines) + first)) + (i_4 % (4u * mine_1)))), cuda::memory_order_relaxed);
        if (v_3 != 4294639610u) break;
      }
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
    nts::vec<unsigned int, 4>* const cleared = reinterpret_cast<nts::vec<unsigned int, 4>*>(clear_own + 0ull);
    i_5 = threadIdx.x;
    for (; i_5 < (nRanks_1 * mine_1); i_5 = i_5 + blockDim.x) {
      cleared[(((i_5 / mine_1) * lines) + first) + (i_5 % mine_1)] = nts::splat<unsigned int, 4>(4294639610u);
    }
    __syncthreads();
  }
}

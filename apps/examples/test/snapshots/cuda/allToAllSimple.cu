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

extern "C" __global__ void allToAllSimple(ncclWindow_t const send, ncclWindow_t const recv, unsigned int const lines, ncclDevComm const comm) {
  const int comm_lsaSize = comm.lsaSize;
  char* const send_own = static_cast<char*>(ncclGetLocalPointer(send, 0));
  char* const recv_base = static_cast<char*>(ncclGetLsaPointer(recv, 0, 0));
  const unsigned long long recv_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(recv, 0, 1)) - recv_base);
  const int comm_lsaRank = comm.lsaRank;
  unsigned int share;
  unsigned int i;
  const unsigned int each = ((lines + gridDim.x) - 1u) / gridDim.x;
  const unsigned int first = blockIdx.x * each;
  nts::early(send_own, recv_base); nts::wait_for_earlier();
  if (!(first >= lines)) {
    const unsigned int end = (first + each) < lines ? (first + each) : lines;
    const unsigned int nRanks = (unsigned int)comm_lsaSize;
    const unsigned int nWarps = blockDim.x / 32u;
    const unsigned int parts = (nWarps / nRanks) > 1u ? (nWarps / nRanks) : 1u;
    const unsigned int part = (((end - first) + parts) - 1u) / parts;
    nts::vec<unsigned int, 4>* const mine = reinterpret_cast<nts::vec<unsigned int, 4>*>(send_own + 0ull);
    share = threadIdx.x / 32u;
    for (; share < (nRanks * parts); share = share + nWarps) {
      const unsigned int peer = share % nRanks;
      const unsigned int from = first + ((share / nRanks) * part);
      nts::vec<unsigned int, 4>* const theirs = reinterpret_cast<nts::vec<unsigned int, 4>*>(recv_base + (recv_step * (int)peer + 0ull));
      i = from + nts::lane_id();
      for (; i < ((from + part) < end ? (from + part) : end); i = i + 32u) {
        const unsigned int at = ((unsigned int)comm_lsaRank * lines) + i;
        const nts::vec<unsigned int, 4> v = mine[(peer * lines) + i];
        theirs[at] = v;
      }
    }
    const unsigned int warp = threadIdx.x / 32u;
    if ((blockDim.x / 32u) == (unsigned int)comm_lsaSize) {
      __syncthreads();
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
      if (warp == 0u) {
        alignas(ncclLsaBarrierSession<ncclCoopWarpSpan>) unsigned char bar0_place[sizeof(ncclLsaBarrierSession<ncclCoopWarpSpan>)];
        ncclLsaBarrierSession<ncclCoopWarpSpan>& bar0 = *new (bar0_place) ncclLsaBarrierSession<ncclCoopWarpSpan>(ncclCoopWarpSpan((int)0u, (int)1u, (int)0u), comm, ncclTeamTagLsa(), blockIdx.x);
        bar0.arrive(ncclCoopWarpSpan((int)0u, (int)1u, (int)0u), cuda::memory_order_relaxed);
        bar0.wait(ncclCoopWarpSpan((int)0u, (int)1u, (int)0u), cuda::memory_order_acquire);
        bar0.~ncclLsaBarrierSession();
      }
      __syncthreads();
    } else {
      alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar1_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
      ncclLsaBarrierSession<ncclCoopCta>& bar1 = *new (bar1_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
      bar1.arrive(ncclCoopCta(), cuda::memory_order_release);
      bar1.wait(ncclCoopCta(), cuda::memory_order_acquire);
      bar1.~ncclLsaBarrierSession();
    }
  }
}

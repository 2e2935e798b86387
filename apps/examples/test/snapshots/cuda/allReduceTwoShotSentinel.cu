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

__device__ __forceinline__ nts::vec<float, 4> multimem_load_reduce_add_f32x4(nts::vec<float, 4>* p) {
  float w[4];
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]) : "l"(__cvta_generic_to_global(p)) : "memory");
  return bitcast<nts::vec<float, 4>>(w);
}

__device__ __forceinline__ void multimem_store_f32x4(nts::vec<float, 4>* p, nts::vec<float, 4> x) {
  float w[4];
  memcpy(w, &x, sizeof(w));
  asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" : : "l"(__cvta_generic_to_global(p)), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]) : "memory");
}
}  // namespace nts

extern "C" __global__ void allReduceTwoShotSentinel(ncclWindow_t const send, unsigned int const sendLine, ncclWindow_t const recv, ncclWindow_t const clear, unsigned int const lines, bool const meet, ncclDevComm const comm) {
  const int comm_lsaSize = comm.lsaSize;
  const int comm_lsaRank = comm.lsaRank;
  char* const recv_own = static_cast<char*>(ncclGetLocalPointer(recv, 0));
  char* const clear_own = static_cast<char*>(ncclGetLocalPointer(clear, 0));
  unsigned int i_3;
  nts::vec<unsigned int, 4> words;
  unsigned int i_4;
  unsigned int i_5;
  const unsigned int share = lines / (unsigned int)comm_lsaSize;
  const unsigned int each = ((share + gridDim.x) - 1u) / gridDim.x;
  const unsigned int first = blockIdx.x * each;
  nts::early(recv_own, clear_own); nts::wait_for_earlier();
  if (!(first >= share)) {
    if (meet) {
      alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar0_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
      ncclLsaBarrierSession<ncclCoopCta>& bar0 = *new (bar0_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
      bar0.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
      bar0.~ncclLsaBarrierSession();
    }
    const unsigned int end = (first + each) < share ? (first + each) : share;
    __syncthreads();
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
    const unsigned int begin = (unsigned int)comm_lsaRank * share;
    const unsigned int first_1 = begin + first;
    const unsigned int end_1 = begin + end;
    nts::vec<float, 4>* const from = static_cast<nts::vec<float, 4>*>(ncclGetLsaMultimemPointer(send, 0ull, comm));
    nts::vec<float, 4>* const to = static_cast<nts::vec<float, 4>*>(ncclGetLsaMultimemPointer(recv, 0ull, comm));
    i_3 = first_1 + threadIdx.x;
    for (; i_3 < end_1; i_3 = i_3 + blockDim.x) {
      nts::vec<float, 4>* const p = from + (sendLine + i_3);
      const nts::vec<float, 4> result = nts::multimem_load_reduce_add_f32x4(p);
      words = nts::bitcast<nts::vec<unsigned int, 4>>(result);
      if (words.v[0] == 4294639610u) {
        words = nts::with_lane(words, 0u, 4294705147u);
      }
      if (words.v[1] == 4294639610u) {
        words = nts::with_lane(words, 1u, 4294705147u);
      }
      if (words.v[2] == 4294639610u) {
        words = nts::with_lane(words, 2u, 4294705147u);
      }
      if (words.v[3] == 4294639610u) {
        words = nts::with_lane(words, 3u, 4294705147u);
      }
      nts::vec<float, 4>* const p_1 = to + i_3;
      const nts::vec<float, 4> v_11 = nts::bitcast<nts::vec<float, 4>>(words);
      nts::multimem_store_f32x4(p_1, v_11);
    }
    const unsigned int mine = end - first;
    const unsigned int nRanks = (unsigned int)comm_lsaSize;
    unsigned int* const words_1 = reinterpret_cast<unsigned int*>(recv_own + 0ull);
    for (i_4 = nts::thread_linear(); i_4 < ((nRanks * 4u) * mine); i_4 += (blockDim.x * blockDim.y * blockDim.z)) {
      for (;;) {
        const unsigned int line = ((i_4 / (4u * mine)) * share) + first;
        const unsigned int v_12 = nts::load<cuda::thread_scope_system>((words_1 + ((4u * line) + (i_4 % (4u * mine)))), cuda::memory_order_relaxed);
        if (v_12 != 4294639610u) break;
      }
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
    nts::vec<unsigned int, 4>* const cleared = reinterpret_cast<nts::vec<unsigned int, 4>*>(clear_own + 0ull);
    i_5 = threadIdx.x;
    for (; i_5 < (nRanks * mine); i_5 = i_5 + blockDim.x) {
      cleared[(((i_5 / mine) * share) + first) + (i_5 % mine)] = nts::splat<unsigned int, 4>(4294639610u);
    }
    __syncthreads();
  }
}

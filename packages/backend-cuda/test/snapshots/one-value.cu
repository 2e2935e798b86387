#include <cuda/atomic>
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

extern "C" __global__ void oneValue(ncclDevComm const comm, int const t_nRanks, int const t_rank, int const t_stride, unsigned int const handle_bufHandle, unsigned int const handle_nSlots, unsigned int const handle_nBlocks, float const x, unsigned int* const abort_word) {
  const ncclWindow_t comm_resourceWindow = comm.resourceWindow;
  const int comm_lsaRank = comm.lsaRank;
  char* const comm_resourceWindow_at = static_cast<char*>(ncclGetLsaPointer(comm_resourceWindow, 0, comm_lsaRank));
  char* const comm_resourceWindow_base = static_cast<char*>(ncclGetLsaPointer(comm_resourceWindow, 0, 0));
  const unsigned long long comm_resourceWindow_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(comm_resourceWindow, 0, 1)) - comm_resourceWindow_base);
  unsigned int llA2A_session_epoch;
  unsigned int word;
  bool here;
  float result;
  int i;
  unsigned int word_2;
  unsigned int i_1;
  unsigned long long localArray[2];
  nts::early(comm_resourceWindow_at, comm_resourceWindow_base); nts::wait_for_earlier();
  const unsigned int v = reinterpret_cast<unsigned int*>(comm_resourceWindow_at + ((unsigned long long)handle_bufHandle * 128ull))[4u * (0u * (1u + (2u * handle_nSlots)))];
  llA2A_session_epoch = v + 2u;
  const int peer = nts::add(comm_lsaRank, nts::mul(nts::sub(1, t_rank), t_stride));
  unsigned long long* const halves = reinterpret_cast<unsigned long long*>(comm_resourceWindow_base + (comm_resourceWindow_step * peer + ((unsigned long long)handle_bufHandle * 128ull)));
  unsigned long long* const slot = halves + (2u * ((((0u * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)2));
  word = 0u;
  word = nts::bitcast<unsigned int>(x);
  nts::store<cuda::thread_scope_system>(slot, nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word, llA2A_session_epoch}}), cuda::memory_order_relaxed);
  const unsigned int word_1 = 0u;
  nts::store<cuda::thread_scope_system>((slot + 1u), nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_1, llA2A_session_epoch}}), cuda::memory_order_relaxed);
  const int elt = nts::add(2, 0);
  for (;;) {
    here = true;
    const int elt_1 = nts::add(2, 0);
    unsigned long long* const halves_1 = reinterpret_cast<unsigned long long*>(comm_resourceWindow_at + ((unsigned long long)handle_bufHandle * 128ull));
    const unsigned long long v_1 = nts::load<cuda::thread_scope_system>((halves_1 + (2u * ((((0u * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_1))), cuda::memory_order_relaxed);
    *localArray = v_1;
    here = here && ((unsigned int)(v_1 >> (32ull & 63)) == llA2A_session_epoch);
    const int elt_2 = nts::add(2, 0);
    unsigned long long* const halves_2 = reinterpret_cast<unsigned long long*>(comm_resourceWindow_at + ((unsigned long long)handle_bufHandle * 128ull));
    const unsigned long long v_2 = nts::load<cuda::thread_scope_system>(((halves_2 + (2u * ((((0u * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)elt_2))) + 1u), cuda::memory_order_relaxed);
    localArray[1] = v_2;
    here = here && ((unsigned int)(v_2 >> (32ull & 63)) == llA2A_session_epoch);
    if (here) break;
    if (*(volatile unsigned int*)abort_word != 0) return;
  }
  const unsigned long long v_3 = *localArray;
  result = nts::bitcast<float>((unsigned int)v_3);
  i = 0;
  for (; i < t_nRanks; i++) {
    const int peer_1 = nts::add(t_rank, i) % t_nRanks;
    const int peer_2 = nts::add(comm_lsaRank, nts::mul(nts::sub(peer_1, t_rank), t_stride));
    unsigned long long* const halves_3 = reinterpret_cast<unsigned long long*>(comm_resourceWindow_base + (comm_resourceWindow_step * peer_2 + ((unsigned long long)handle_bufHandle * 128ull)));
    unsigned long long* const slot_1 = halves_3 + (2u * ((((0u * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + (unsigned int)3));
    word_2 = 0u;
    word_2 = nts::bitcast<unsigned int>(result);
    nts::store<cuda::thread_scope_system>(slot_1, nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_2, llA2A_session_epoch}}), cuda::memory_order_relaxed);
    const unsigned int word_3 = 0u;
    nts::store<cuda::thread_scope_system>((slot_1 + 1u), nts::bitcast<unsigned long long>(nts::vec<unsigned int, 2>{{word_3, llA2A_session_epoch}}), cuda::memory_order_relaxed);
  }
  if ((llA2A_session_epoch == 4294967295u) || (llA2A_session_epoch == 2u)) {
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
  }
  __syncthreads();
  const bool clears = llA2A_session_epoch >= 4294967294u;
  if (clears) {
    unsigned long long* const halves_4 = reinterpret_cast<unsigned long long*>(comm_resourceWindow_at + ((unsigned long long)handle_bufHandle * 128ull));
    unsigned long long* const halves_5 = halves_4 + (2u * ((((0u * (1u + (2u * handle_nSlots))) + 1u) + ((llA2A_session_epoch & 1u) * handle_nSlots)) + 0u));
    i_1 = nts::thread_linear();
    for (; i_1 < (2u * handle_nSlots); i_1 = i_1 + (blockDim.x * blockDim.y * blockDim.z)) {
      nts::store<cuda::thread_scope_system>((halves_5 + i_1), 0ull, cuda::memory_order_relaxed);
    }
  }
  __syncthreads();
  if (clears) {
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
  }
  llA2A_session_epoch = (llA2A_session_epoch == 4294967295u) ? 2u : (llA2A_session_epoch + 1u);
  if (nts::thread_linear() == 0u) {
    unsigned int* const words = reinterpret_cast<unsigned int*>(comm_resourceWindow_at + ((unsigned long long)handle_bufHandle * 128ull));
    words[4u * (0u * (1u + (2u * handle_nSlots)))] = llA2A_session_epoch - 2u;
  }
  __syncthreads();
}

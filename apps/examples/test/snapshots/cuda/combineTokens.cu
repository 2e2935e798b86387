#include <cuda/atomic>
#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/gin__funcs.h>

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

extern "C" __global__ void combineTokens(ncclWindow_t const inbox, ncclWindow_t const origins, ncclWindow_t const counts, ncclWindow_t const outbox, ncclWindow_t const returned, ncclWindow_t const flags, unsigned int const tokens, unsigned int const hidden, unsigned int const perRank, ncclDevComm const comm) {
  const int comm_nRanks = comm.nRanks;
  const int comm_rank = comm.rank;
  const int comm_lsaRank = comm.lsaRank;
  const unsigned int comm_ginContextCount = (unsigned int)comm.ginContextCount;
  char* const inbox_own = static_cast<char*>(ncclGetLocalPointer(inbox, 0));
  char* const origins_own = static_cast<char*>(ncclGetLocalPointer(origins, 0));
  char* const outbox_own = static_cast<char*>(ncclGetLocalPointer(outbox, 0));
  char* const counts_own = static_cast<char*>(ncclGetLocalPointer(counts, 0));
  const int comm_lsaSize = comm.lsaSize;
  char* const returned_base = static_cast<char*>(ncclGetLsaPointer(returned, 0, 0));
  const unsigned long long returned_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(returned, 0, 1)) - returned_base);
  char* const flags_base = static_cast<char*>(ncclGetLsaPointer(flags, 0, 0));
  const unsigned long long flags_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(flags, 0, 1)) - flags_base);
  char* const flags_own = static_cast<char*>(ncclGetLocalPointer(flags, 0));
  unsigned int slot;
  unsigned int i;
  unsigned int i_1;
  const unsigned int nRanks = (unsigned int)comm_nRanks;
  const unsigned int firstLocal = (unsigned int)nts::sub(comm_rank, comm_lsaRank);
  const bool lead = threadIdx.x == 0u;
  const unsigned int sender = blockIdx.x % nRanks;
  const unsigned int expert = ((unsigned int)comm_rank * perRank) + (blockIdx.x / nRanks);
  const unsigned int index = expert % comm_ginContextCount;
  float* const came = reinterpret_cast<float*>(inbox_own + 0ull);
  unsigned int* const from = reinterpret_cast<unsigned int*>(origins_own + 0ull);
  float* const ours = reinterpret_cast<float*>(outbox_own + 0ull);
  nts::early(inbox_own, origins_own, outbox_own, counts_own, returned_base, flags_base, flags_own, came, from, ours); nts::wait_for_earlier();
  const unsigned int v = reinterpret_cast<unsigned int*>(counts_own + 0ull)[blockIdx.x];
  slot = blockIdx.x * tokens;
  for (; slot < ((blockIdx.x * tokens) + v); slot++) {
    const unsigned int v_1 = from[slot];
    if ((sender >= firstLocal) && (sender < (firstLocal + (unsigned int)comm_lsaSize))) {
      float* const theirs = reinterpret_cast<float*>(returned_base + (returned_step * (int)(sender - firstLocal) + (unsigned long long)((v_1 * hidden) * 4u)));
      i = threadIdx.x;
      for (; i < hidden; i = i + blockDim.x) {
        const float v_2 = came[(slot * hidden) + i];
        theirs[i] = v_2 * (float)(expert + 1u);
      }
    } else {
      i_1 = threadIdx.x;
      for (; i_1 < hidden; i_1 = i_1 + blockDim.x) {
        const float v_3 = came[(slot * hidden) + i_1];
        ours[(slot * hidden) + i_1] = v_3 * (float)(expert + 1u);
      }
      const unsigned int bytes = hidden * 4u;
      const int peer = (int)sender;
      const unsigned long long dstOffset = (unsigned long long)(v_1 * bytes);
      const unsigned long long srcOffset = (unsigned long long)(slot * bytes);
      const unsigned long long bytes_1 = (unsigned long long)bytes;
      ncclGin(comm, index).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer, returned, dstOffset, outbox, srcOffset, bytes_1, ncclGin_None(), ncclGin_None(), ncclCoopCta(), ncclGin_None(), cuda::thread_scope_thread, cuda::thread_scope_device, ncclGinOptFlagsAggregateRequests);
    }
  }
  __syncthreads();
  if (lead) {
    if (!((sender >= firstLocal) && (sender < (firstLocal + (unsigned int)comm_lsaSize)))) {
      const unsigned int signal = gridDim.x + expert;
      const int peer_1 = (int)sender;
      ncclGin(comm, index).signal(ncclTeam{comm_nRanks, comm_rank, 1}, peer_1, ncclGin_StrongSignalAdd{signal, 1ull});
    } else {
      nts::store<cuda::thread_scope_system>((reinterpret_cast<unsigned int*>(flags_base + (flags_step * (int)(sender - firstLocal) + 0ull)) + expert), 1u, cuda::memory_order_release);
    }
  }
  const unsigned int peer_2 = blockIdx.x / perRank;
  if ((peer_2 >= firstLocal) && (peer_2 < (firstLocal + (unsigned int)comm_lsaSize))) {
    unsigned int* const flag = reinterpret_cast<unsigned int*>(flags_own + 0ull) + blockIdx.x;
    for (;;) {
      const unsigned int v_4 = nts::load<cuda::thread_scope_system>(flag, cuda::memory_order_acquire);
      if (v_4 != 0u) break;
    }
    __syncthreads();
    if (lead) {
      nts::store<cuda::thread_scope_system>(flag, 0u, cuda::memory_order_relaxed);
    }
  } else {
    const unsigned int index_1 = blockIdx.x % comm_ginContextCount;
    const unsigned int signal_1 = gridDim.x + blockIdx.x;
    ncclGin(comm, index_1).waitSignal(ncclCoopCta(), signal_1, 1ull);
    if (lead) {
      const unsigned int signal_2 = gridDim.x + blockIdx.x;
      ncclGin(comm, index_1).resetSignal(signal_2);
    }
  }
  ncclGin(comm, index).flush(ncclCoopCta());
}

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

extern "C" __global__ void dispatchTokens(ncclWindow_t const routes, ncclWindow_t const x, ncclWindow_t const inbox, ncclWindow_t const origins, ncclWindow_t const flags, ncclWindow_t const counts, unsigned int const tokens, unsigned int const topK, unsigned int const hidden, unsigned int const perRank, ncclDevComm const comm) {
  const int comm_nRanks = comm.nRanks;
  const int comm_rank = comm.rank;
  const int comm_lsaRank = comm.lsaRank;
  const unsigned int comm_ginContextCount = (unsigned int)comm.ginContextCount;
  char* const x_own = static_cast<char*>(ncclGetLocalPointer(x, 0));
  char* const routes_own = static_cast<char*>(ncclGetLocalPointer(routes, 0));
  const int comm_lsaSize = comm.lsaSize;
  char* const inbox_base = static_cast<char*>(ncclGetLsaPointer(inbox, 0, 0));
  const unsigned long long inbox_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(inbox, 0, 1)) - inbox_base);
  char* const origins_base = static_cast<char*>(ncclGetLsaPointer(origins, 0, 0));
  const unsigned long long origins_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(origins, 0, 1)) - origins_base);
  char* const flags_base = static_cast<char*>(ncclGetLsaPointer(flags, 0, 0));
  const unsigned long long flags_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(flags, 0, 1)) - flags_base);
  char* const flags_own = static_cast<char*>(ncclGetLocalPointer(flags, 0));
  char* const counts_own = static_cast<char*>(ncclGetLocalPointer(counts, 0));
  unsigned int sent;
  unsigned int choice;
  unsigned int i;
  unsigned long long told;
  const unsigned int nRanks = (unsigned int)comm_nRanks;
  const unsigned int firstLocal = (unsigned int)nts::sub(comm_rank, comm_lsaRank);
  const bool lead = threadIdx.x == 0u;
  const unsigned int owner = blockIdx.x / perRank;
  const unsigned int theirBox = ((blockIdx.x % perRank) * nRanks) + (unsigned int)comm_rank;
  const unsigned int index = blockIdx.x % comm_ginContextCount;
  float* const mine = reinterpret_cast<float*>(x_own + 0ull);
  unsigned int* const chosen = reinterpret_cast<unsigned int*>(routes_own + 0ull);
  sent = 0u;
  choice = 0u;
  nts::early(x_own, routes_own, inbox_base, origins_base, flags_base, flags_own, counts_own, mine, chosen); nts::wait_for_earlier();
  for (; choice < (tokens * topK); choice++) {
    const unsigned int v = chosen[choice];
    if (v == blockIdx.x) {
      const unsigned int slot = (theirBox * tokens) + sent;
      const unsigned int token = choice / topK;
      if ((owner >= firstLocal) && (owner < (firstLocal + (unsigned int)comm_lsaSize))) {
        float* const theirs = reinterpret_cast<float*>(inbox_base + (inbox_step * (int)(owner - firstLocal) + 0ull));
        i = threadIdx.x;
        for (; i < hidden; i = i + blockDim.x) {
          const float v_1 = mine[(token * hidden) + i];
          theirs[(slot * hidden) + i] = v_1;
        }
        if (lead) {
          reinterpret_cast<unsigned int*>(origins_base + (origins_step * (int)(owner - firstLocal) + 0ull))[slot] = choice;
        }
      } else {
        if (lead) {
          const unsigned int bytes = hidden * 4u;
          const int peer = (int)owner;
          const unsigned long long dstOffset = (unsigned long long)(slot * bytes);
          const unsigned long long srcOffset = (unsigned long long)(token * bytes);
          const unsigned long long bytes_1 = (unsigned long long)bytes;
          ncclGin(comm, index).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer, inbox, dstOffset, x, srcOffset, bytes_1, ncclGin_None(), ncclGin_None(), ncclCoopThread(), ncclGin_None(), cuda::thread_scope_thread, cuda::thread_scope_device, ncclGinOptFlagsAggregateRequests);
          const int peer_1 = (int)owner;
          const unsigned long long dstOffset_1 = (unsigned long long)(slot * 4u);
          const unsigned int value = choice;
          ncclGin(comm, index).putValue<unsigned int>(ncclTeam{comm_nRanks, comm_rank, 1}, peer_1, origins, dstOffset_1, value, ncclGin_None(), ncclCoopThread(), ncclGin_None(), cuda::thread_scope_thread, cuda::thread_scope_device, ncclGinOptFlagsAggregateRequests);
        }
      }
      sent = sent + 1u;
    }
  }
  __syncthreads();
  if (lead) {
    if (!((owner >= firstLocal) && (owner < (firstLocal + (unsigned int)comm_lsaSize)))) {
      const unsigned long long value_2 = (unsigned long long)sent + 1ull;
      const int peer_2 = (int)owner;
      ncclGin(comm, index).signal(ncclTeam{comm_nRanks, comm_rank, 1}, peer_2, ncclGin_StrongSignalAdd{theirBox, value_2});
    } else {
      nts::store<cuda::thread_scope_system>((reinterpret_cast<unsigned int*>(flags_base + (flags_step * (int)(owner - firstLocal) + 0ull)) + theirBox), (sent + 1u), cuda::memory_order_release);
    }
  }
  const unsigned int sender = blockIdx.x % nRanks;
  const unsigned int receiving = ((unsigned int)comm_rank * perRank) + (blockIdx.x / nRanks);
  told = 0ull;
  if ((sender >= firstLocal) && (sender < (firstLocal + (unsigned int)comm_lsaSize))) {
    unsigned int* const flag = reinterpret_cast<unsigned int*>(flags_own + 0ull) + blockIdx.x;
    for (;;) {
      const unsigned int v_2 = nts::load<cuda::thread_scope_system>(flag, cuda::memory_order_acquire);
      if (v_2 != 0u) break;
    }
    const unsigned int v_3 = nts::load<cuda::thread_scope_system>(flag, cuda::memory_order_relaxed);
    told = (unsigned long long)v_3;
    __syncthreads();
    if (lead) {
      nts::store<cuda::thread_scope_system>(flag, 0u, cuda::memory_order_relaxed);
    }
  } else {
    const unsigned int index_1 = receiving % comm_ginContextCount;
    ncclGin(comm, index_1).waitSignal(ncclCoopCta(), blockIdx.x, 1ull);
    const unsigned long long result = ncclGin(comm, index_1).readSignal(blockIdx.x);
    told = result;
    __syncthreads();
    if (lead) {
      ncclGin(comm, index_1).resetSignal(blockIdx.x);
    }
  }
  if (lead) {
    reinterpret_cast<unsigned int*>(counts_own + 0ull)[blockIdx.x] = (unsigned int)told - 1u;
  }
  ncclGin(comm, index).flush(ncclCoopCta());
}

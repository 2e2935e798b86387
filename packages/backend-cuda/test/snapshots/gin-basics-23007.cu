#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/gin__funcs.h>
#include <nccl_device/impl/gin_barrier__funcs.h>

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

__device__ __forceinline__ int add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__device__ __forceinline__ int sub(int a, int b) { return (int)((unsigned int)a - (unsigned int)b); }
__device__ __forceinline__ int mul(int a, int b) { return (int)((unsigned int)a * (unsigned int)b); }
__device__ __forceinline__ int shl(int a, int b) { return (int)((unsigned int)a << (b & 31)); }
__device__ __forceinline__ long long add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
__device__ __forceinline__ long long sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
__device__ __forceinline__ long long mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
__device__ __forceinline__ long long shl(long long a, long long b) { return (long long)((unsigned long long)a << (b & 63)); }
}  // namespace nts

extern "C" __global__ void basics(ncclDevComm const comm, ncclWindow_t const dst, ncclWindow_t const src, unsigned long long const n, unsigned int const bits) {
  const unsigned int comm_ginContextCount = (unsigned int)comm.ginContextCount;
  const int comm_rank = comm.rank;
  const int comm_nRanks = comm.nRanks;
  const int comm_lsaSize = comm.lsaSize;
  char* const dst_own = static_cast<char*>(ncclGetLocalPointer(dst, 0));
  __shared__ unsigned long long sharedArray[8];
  unsigned long long localArray[2];
  const unsigned int index = blockIdx.x % comm_ginContextCount;
  const int peer = nts::add(comm_rank, 1) % comm_nRanks;
  nts::early(dst_own); nts::wait_for_earlier();
  ncclGin(comm, 0u).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer, dst, 0ull, src, 64ull, 128ull);
  const unsigned long long dstOffset = n;
  const unsigned long long srcOffset = n * 2ull;
  ncclGin(comm, 0u).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer, dst, dstOffset, src, srcOffset, 128ull, ncclGin_SignalInc{3u}, ncclGin_None(), ncclCoopCta());
  ncclGin(comm, 0u).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer, dst, 0ull, src, 0ull, 8ull, ncclGin_SignalAdd{4u, n}, ncclGin_WeakCounterInc{2u}, ncclCoopWarp());
  ncclGin(comm, 0u).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer, dst, 0ull, src, 0ull, 8ull, ncclGin_None(), ncclGin_WeakCounterInc{5u});
  const int nRanks = comm_nRanks / comm_lsaSize;
  const int rank = comm_rank / comm_lsaSize;
  ncclGin(comm, index, NCCL_GIN_RESOURCE_SHARING_CTA).put(ncclTeam{nRanks, rank, comm_lsaSize}, 0, dst, 0ull, src, 0ull, 8ull, ncclGin_SignalInc{1u}, ncclGin_None(), ncclCoopThread(), ncclGin_None(), cuda::thread_scope_block, cuda::thread_scope_system);
  const float value = (float)threadIdx.x;
  ncclGin(comm, 0u).putValue<float>(ncclTeam{comm_nRanks, comm_rank, 1}, peer, dst, 16ull, value, ncclGin_SignalInc{1u});
  ncclGin(comm, 0u).putValue<unsigned char>(ncclTeam{comm_nRanks, comm_rank, 1}, peer, dst, 16ull, 7, ncclGin_None(), ncclCoopThread(), ncclGin_None(), cuda::thread_scope_thread, cuda::thread_scope_system);
  ncclGin(comm, 0u).signal(ncclTeam{comm_nRanks, comm_rank, 1}, peer, ncclGin_SignalAdd{2u, 5ull});
  ncclGin(comm, 0u).signal(ncclTeam{comm_nRanks, comm_rank, 1}, peer, ncclGin_SignalInc{1u}, ncclCoopCta());
  ncclGin(comm, 0u).flush(ncclCoopCta());
  ncclGin(comm, 0u).flush(ncclCoopCta(), cuda::memory_order_relaxed);
  ncclGin(comm, 0u).waitSignal(ncclCoopCta(), 3u, 1ull);
  const unsigned long long least = n + 1ull;
  ncclGin(comm, 0u).waitSignal(ncclCoopWarp(), 3u, least, 32);
  ncclGin(comm, 0u).waitSignal(ncclCoopThread(), 3u, n, (int)bits, cuda::memory_order_relaxed);
  ncclGin(comm, 0u).waitCounter(ncclCoopCta(), 2u, n);
  ncclGin(comm, 0u).waitCounter(ncclCoopCta(), 2u, n, 48);
  ncclGin(comm, 0u).increaseSignalShadow(3u, 2ull);
  ncclGin(comm, 0u).waitSignalMeetShadow(ncclCoopCta(), 3u);
  ncclGin(comm, 0u).waitSignalMeetShadow(ncclCoopCta(), 3u, 64, cuda::memory_order_relaxed);
  uint64_t followed[2];
  ncclGin(comm, 0u).waitSignalFollowShadow(ncclCoopCta(), 3u, uint64_t(1ull), &followed[0], &followed[1]);
  memcpy(localArray, followed, sizeof(followed));
  const unsigned long long v_17 = *localArray;
  const unsigned long long v_18 = localArray[1];
  unsigned long long* const result = reinterpret_cast<unsigned long long*>(ncclGin(comm, 0u).getSignalShadowPtr(4u));
  const unsigned long long result_1 = ncclGin(comm, 0u).readSignal(1u);
  const unsigned long long result_2 = ncclGin(comm, 0u).readSignal(2u, 8);
  const unsigned long long result_3 = ncclGin(comm, 0u).readCounter(2u);
  *result = (((v_17 + v_18) + result_1) + result_2) + result_3;
  ncclGin(comm, 0u).resetSignal(3u);
  ncclGin(comm, 0u).resetCounter(2u);
  ncclGinBarrierSession<ncclCoopCta> bar0(ncclCoopCta(), ncclGin(comm, 0u), ncclTeamTagRail(), blockIdx.x);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::None);
  unsigned long long* const out = reinterpret_cast<unsigned long long*>(dst_own + 0ull);
  const unsigned long long result_4 = ncclGin(comm, 0u).readCounter(1u, 16, cuda::memory_order_relaxed);
  *out = result_4;
}

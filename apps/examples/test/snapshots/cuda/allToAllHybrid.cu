#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/comm__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/lsa_barrier__funcs.h>
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

extern "C" __global__ void allToAllHybrid(ncclWindow_t const send, ncclWindow_t const recv, unsigned int const count, ncclDevComm const comm) {
  const int comm_lsaSize = comm.lsaSize;
  const int comm_lsaRank = comm.lsaRank;
  const unsigned int comm_hybridLsaBarrier_bufHandle = comm.hybridLsaBarrier.bufHandle;
  const int comm_hybridLsaBarrier_nBarriers = comm.hybridLsaBarrier.nBarriers;
  const unsigned long long comm_lsaMultimem_mcBasePtr = reinterpret_cast<unsigned long long>(comm.lsaMultimem.mcBasePtr);
  const int comm_nRanks = comm.nRanks;
  const int comm_rank = comm.rank;
  const unsigned int comm_hybridRailGinBarrier_signal0 = (unsigned int)comm.hybridRailGinBarrier.signal0;
  const unsigned int comm_hybridWorldGinBarrier_signal0 = (unsigned int)comm.hybridWorldGinBarrier.signal0;
  char* const send_own = static_cast<char*>(ncclGetLocalPointer(send, 0));
  char* const recv_base = static_cast<char*>(ncclGetLsaPointer(recv, 0, 0));
  const unsigned long long recv_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(recv, 0, 1)) - recv_base);
  unsigned int peer_2;
  int local;
  unsigned int i_7;
  nts::early(send_own, recv_base); nts::wait_for_earlier();
  const unsigned long long result = ncclGin(comm, 0u).readSignal(blockIdx.x);
  alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar1_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
  ncclLsaBarrierSession<ncclCoopCta>& bar1 = *new (bar1_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeam{comm_lsaSize, comm_lsaRank, 1}, ncclLsaBarrierHandle{comm_hybridLsaBarrier_bufHandle, comm_hybridLsaBarrier_nBarriers}, blockIdx.x);
  const int nRanks = comm_nRanks / comm_lsaSize;
  const int rank = comm_rank / comm_lsaSize;
  ncclGinBarrierSession<ncclCoopCta> bar2(ncclCoopCta(), ncclGin(comm, 0u), ncclTeam{nRanks, rank, comm_lsaSize}, ncclGinBarrierHandle{comm_hybridRailGinBarrier_signal0}, blockIdx.x);
  ncclGinBarrierSession<ncclCoopCta> bar3(ncclCoopCta(), ncclGin(comm, 0u), ncclTeamWorld(comm), ncclGinBarrierHandle{comm_hybridWorldGinBarrier_signal0}, blockIdx.x);
  bar1.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  bar2.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::None);
  const int firstLocal = nts::sub(comm_rank, comm_lsaRank);
  const int endLocal = nts::add(firstLocal, comm_lsaSize);
  const unsigned int bytes = count * 4u;
  peer_2 = blockIdx.x + (threadIdx.x * gridDim.x);
  for (; peer_2 < (unsigned int)comm_nRanks; peer_2 = peer_2 + (blockDim.x * gridDim.x)) {
    if (!((peer_2 >= (unsigned int)firstLocal) && (peer_2 < (unsigned int)endLocal))) {
      const int peer_3 = (int)peer_2;
      const unsigned long long dstOffset = (unsigned long long)((unsigned int)comm_rank * bytes);
      const unsigned long long srcOffset = (unsigned long long)(peer_2 * bytes);
      const unsigned long long bytes_1 = (unsigned long long)bytes;
      ncclGin(comm, 0u).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer_3, recv, dstOffset, send, srcOffset, bytes_1, ncclGin_WeakSignalInc{blockIdx.x});
    }
  }
  float* const mine_1 = reinterpret_cast<float*>(send_own + 0ull);
  local = 0;
  for (; local < comm_lsaSize; local++) {
    float* const theirs = reinterpret_cast<float*>(recv_base + (recv_step * local + (unsigned long long)((unsigned int)comm_rank * bytes)));
    i_7 = threadIdx.x + (blockIdx.x * blockDim.x);
    for (; i_7 < count; i_7 = i_7 + (blockDim.x * gridDim.x)) {
      const float v_13 = mine_1[((unsigned int)nts::add(firstLocal, local) * count) + i_7];
      theirs[i_7] = v_13;
    }
  }
  if (((unsigned int)comm_rank % gridDim.x) == blockIdx.x) {
    const unsigned long long least_1 = result + (unsigned long long)nts::sub(comm_nRanks, comm_lsaSize);
    ncclGin(comm, 0u).waitSignal(ncclCoopCta(), blockIdx.x, least_1);
  }
  ncclGin(comm, 0u).flush(ncclCoopCta());
  bar1.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  bar1.~ncclLsaBarrierSession();
}

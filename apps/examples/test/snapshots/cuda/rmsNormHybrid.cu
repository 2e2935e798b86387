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

extern "C" __global__ void rmsNormHybrid(ncclWindow_t const data, ncclWindow_t const inbox, unsigned int const hidden, float const eps, ncclDevComm const comm) {
  const unsigned int comm_ginContextCount = (unsigned int)comm.ginContextCount;
  const int comm_nRanks = comm.nRanks;
  const int comm_lsaSize = comm.lsaSize;
  const int comm_rank = comm.rank;
  const int comm_lsaRank = comm.lsaRank;
  const unsigned int comm_hybridLsaBarrier_bufHandle = comm.hybridLsaBarrier.bufHandle;
  const int comm_hybridLsaBarrier_nBarriers = comm.hybridLsaBarrier.nBarriers;
  const unsigned long long comm_lsaMultimem_mcBasePtr = reinterpret_cast<unsigned long long>(comm.lsaMultimem.mcBasePtr);
  const unsigned int comm_hybridRailGinBarrier_signal0 = (unsigned int)comm.hybridRailGinBarrier.signal0;
  const unsigned int comm_hybridWorldGinBarrier_signal0 = (unsigned int)comm.hybridWorldGinBarrier.signal0;
  char* const data_own = static_cast<char*>(ncclGetLocalPointer(data, 0));
  char* const inbox_base = static_cast<char*>(ncclGetLsaPointer(inbox, 0, 0));
  const unsigned long long inbox_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(inbox, 0, 1)) - inbox_base);
  char* const inbox_own = static_cast<char*>(ncclGetLocalPointer(inbox, 0));
  char* const data_base = static_cast<char*>(ncclGetLsaPointer(data, 0, 0));
  const unsigned long long data_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(data, 0, 1)) - data_base);
  unsigned int peer_2;
  unsigned int local;
  unsigned int i_7;
  unsigned int i_12;
  float sum;
  unsigned int part_1;
  float sum_1;
  unsigned int i_13;
  unsigned int half_1;
  unsigned int i_14;
  unsigned int peer_8;
  int local_1;
  unsigned int i_22;
  __shared__ float sharedArray[1024];
  const unsigned int index = blockIdx.x % comm_ginContextCount;
  const unsigned int nRanks = (unsigned int)comm_nRanks;
  const unsigned int nRemote = nRanks - (unsigned int)comm_lsaSize;
  const unsigned int firstLocal = (unsigned int)nts::sub(comm_rank, comm_lsaRank);
  nts::early(data_own, inbox_base, inbox_own, data_base); nts::wait_for_earlier();
  const unsigned long long result = ncclGin(comm, index).readSignal(blockIdx.x);
  alignas(ncclLsaBarrierSession<ncclCoopCta>) unsigned char bar1_place[sizeof(ncclLsaBarrierSession<ncclCoopCta>)];
  ncclLsaBarrierSession<ncclCoopCta>& bar1 = *new (bar1_place) ncclLsaBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, ncclTeam{comm_lsaSize, comm_lsaRank, 1}, ncclLsaBarrierHandle{comm_hybridLsaBarrier_bufHandle, comm_hybridLsaBarrier_nBarriers}, blockIdx.x);
  const int nRanks_1 = comm_nRanks / comm_lsaSize;
  const int rank = comm_rank / comm_lsaSize;
  ncclGinBarrierSession<ncclCoopCta> bar2(ncclCoopCta(), ncclGin(comm, index), ncclTeam{nRanks_1, rank, comm_lsaSize}, ncclGinBarrierHandle{comm_hybridRailGinBarrier_signal0}, blockIdx.x);
  ncclGinBarrierSession<ncclCoopCta> bar3(ncclCoopCta(), ncclGin(comm, index), ncclTeamWorld(comm), ncclGinBarrierHandle{comm_hybridWorldGinBarrier_signal0}, blockIdx.x);
  bar1.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  bar2.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::None);
  const unsigned int bytes = hidden * 4u;
  const unsigned int ownPlace = (((unsigned int)comm_rank * gridDim.x) + blockIdx.x) * bytes;
  peer_2 = threadIdx.x;
  for (; peer_2 < nRanks; peer_2 = peer_2 + blockDim.x) {
    const unsigned int theirToken = ((peer_2 * gridDim.x) + blockIdx.x) * bytes;
    const unsigned int peer_3 = peer_2;
    if ((peer_3 < firstLocal) || (peer_3 >= (firstLocal + (unsigned int)comm_lsaSize))) {
      const int peer_4 = (int)peer_2;
      const unsigned long long dstOffset = (unsigned long long)ownPlace;
      const unsigned long long srcOffset = (unsigned long long)theirToken;
      const unsigned long long bytes_1 = (unsigned long long)bytes;
      ncclGin(comm, index).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer_4, inbox, dstOffset, data, srcOffset, bytes_1, ncclGin_WeakSignalInc{blockIdx.x});
    }
  }
  local = 0u;
  for (; local < (unsigned int)comm_lsaSize; local++) {
    float* const part = reinterpret_cast<float*>(data_own + (unsigned long long)((((firstLocal + local) * gridDim.x) + blockIdx.x) * bytes));
    float* const place_9 = reinterpret_cast<float*>(inbox_base + (inbox_step * (int)local + (unsigned long long)ownPlace));
    i_7 = threadIdx.x;
    for (; i_7 < hidden; i_7 = i_7 + blockDim.x) {
      const float v_13 = part[i_7];
      place_9[i_7] = v_13;
    }
  }
  const unsigned long long least_1 = result + (unsigned long long)nRemote;
  ncclGin(comm, index).waitSignal(ncclCoopCta(), blockIdx.x, least_1);
  bar1.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  float* const token = reinterpret_cast<float*>(inbox_own + (unsigned long long)(blockIdx.x * bytes));
  const unsigned int stride = hidden * gridDim.x;
  i_12 = threadIdx.x;
  for (; i_12 < hidden; i_12 = i_12 + blockDim.x) {
    sum = 0.0f;
    part_1 = 0u;
    for (; part_1 < nRanks; part_1++) {
      const float v_16 = token[(part_1 * stride) + i_12];
      sum = sum + v_16;
    }
    token[i_12] = sum;
  }
  __syncthreads();
  sum_1 = 0.0f;
  i_13 = threadIdx.x;
  for (; i_13 < hidden; i_13 = i_13 + blockDim.x) {
    const float v_17 = token[i_13];
    const float v_18 = token[i_13];
    sum_1 = sum_1 + (v_17 * v_18);
  }
  sharedArray[threadIdx.x] = sum_1;
  __syncthreads();
  half_1 = blockDim.x / 2u;
  for (; half_1 > 0u; half_1 = half_1 / 2u) {
    if (threadIdx.x < half_1) {
      float* const at_4 = sharedArray + threadIdx.x;
      const float v_19 = *at_4;
      const float v_20 = sharedArray[threadIdx.x + half_1];
      *at_4 = v_19 + v_20;
    }
    __syncthreads();
  }
  const float v_21 = *sharedArray;
  const float scale = __frsqrt_rn(((v_21 / (float)hidden) + eps));
  i_14 = threadIdx.x;
  for (; i_14 < hidden; i_14 = i_14 + blockDim.x) {
    float* const at_5 = token + i_14;
    const float v_22 = *at_5;
    *at_5 = v_22 * scale;
  }
  __syncthreads();
  bar1.sync(ncclCoopCta(), cuda::memory_order_release);
  bar2.sync(ncclCoopCta(), cuda::memory_order_release, ncclGinFenceLevel::None);
  peer_8 = threadIdx.x;
  for (; peer_8 < nRanks; peer_8 = peer_8 + blockDim.x) {
    const unsigned int peer_9 = peer_8;
    if ((peer_9 < firstLocal) || (peer_9 >= (firstLocal + (unsigned int)comm_lsaSize))) {
      const int peer_10 = (int)peer_8;
      const unsigned long long dstOffset_1 = (unsigned long long)ownPlace;
      const unsigned long long srcOffset_1 = (unsigned long long)(blockIdx.x * bytes);
      const unsigned long long bytes_2 = (unsigned long long)bytes;
      ncclGin(comm, index).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer_10, data, dstOffset_1, inbox, srcOffset_1, bytes_2, ncclGin_WeakSignalInc{blockIdx.x});
    }
  }
  local_1 = 0;
  for (; local_1 < comm_lsaSize; local_1++) {
    float* const place_19 = reinterpret_cast<float*>(data_base + (data_step * local_1 + (unsigned long long)ownPlace));
    i_22 = threadIdx.x;
    for (; i_22 < hidden; i_22 = i_22 + blockDim.x) {
      const float v_34 = token[i_22];
      place_19[i_22] = v_34;
    }
  }
  const unsigned long long least_3 = result + (unsigned long long)(2u * nRemote);
  ncclGin(comm, index).waitSignal(ncclCoopCta(), blockIdx.x, least_3);
  ncclGin(comm, index).flush(ncclCoopCta());
  bar1.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  bar1.~ncclLsaBarrierSession();
}

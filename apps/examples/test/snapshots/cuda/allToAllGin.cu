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
}  // namespace nts

extern "C" __global__ void allToAllGin(ncclWindow_t const send, ncclWindow_t const recv, unsigned int const count, ncclDevComm const comm) {
  const int comm_nRanks = comm.nRanks;
  const int comm_rank = comm.rank;
  unsigned int peer_1;
  nts::wait_for_earlier();
  const unsigned long long result = ncclGin(comm, 0u).readSignal(blockIdx.x);
  ncclGinBarrierSession<ncclCoopCta> bar0(ncclCoopCta(), ncclGin(comm, 0u), ncclTeamTagWorld(), blockIdx.x);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acquire, ncclGinFenceLevel::None);
  const unsigned int bytes = count * 4u;
  peer_1 = blockIdx.x + (threadIdx.x * gridDim.x);
  for (; peer_1 < (unsigned int)comm_nRanks; peer_1 = peer_1 + (blockDim.x * gridDim.x)) {
    const int peer_2 = (int)peer_1;
    const unsigned long long dstOffset = (unsigned long long)((unsigned int)comm_rank * bytes);
    const unsigned long long srcOffset = (unsigned long long)(peer_1 * bytes);
    const unsigned long long bytes_1 = (unsigned long long)bytes;
    ncclGin(comm, 0u).put(ncclTeam{comm_nRanks, comm_rank, 1}, peer_2, recv, dstOffset, send, srcOffset, bytes_1, ncclGin_WeakSignalInc{blockIdx.x});
  }
  if (((unsigned int)comm_rank % gridDim.x) == blockIdx.x) {
    const unsigned long long least_1 = result + (unsigned long long)comm_nRanks;
    ncclGin(comm, 0u).waitSignal(ncclCoopCta(), blockIdx.x, least_1);
  }
  ncclGin(comm, 0u).flush(ncclCoopCta());
}

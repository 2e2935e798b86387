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
}  // namespace nts

extern "C" __global__ void barriers(ncclDevComm const comm, int const t_nRanks, int const t_rank, int const t_stride, unsigned int const handle_signal0, unsigned long long const cycles, ncclWindow_t const out) {
  const unsigned int comm_worldGinBarrier_signal0 = (unsigned int)comm.worldGinBarrier.signal0;
  char* const out_own = static_cast<char*>(ncclGetLocalPointer(out, 0));
  nts::early(out_own); nts::wait_for_earlier();
  ncclGinBarrierSession<ncclCoopCta> bar0(ncclCoopCta(), ncclGin(comm, 0u), ncclTeamTagWorld(), blockIdx.x);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Put | ncclGinFenceLevel::Get);
  bar0.sync(ncclCoopCta(), cuda::memory_order_release, ncclGinFenceLevel::Put);
  bar0.sync(ncclCoopCta(), cuda::memory_order_acquire, ncclGinFenceLevel::Get);
  bar0.sync(ncclCoopCta(), cuda::memory_order_relaxed, ncclGinFenceLevel::None);
  ncclGinBarrierSession<ncclCoopWarp> bar1(ncclCoopWarp(), ncclGin(comm, 0u), ncclTeam{t_nRanks, t_rank, t_stride}, ncclGinBarrierHandle{handle_signal0}, 0u);
  bar1.sync(ncclCoopWarp(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Put | ncclGinFenceLevel::Get);
  ncclGinBarrierSession<ncclCoopCta> bar2(ncclCoopCta(), ncclGin(comm, 0u), ncclTeamRail(comm), ncclGinBarrierHandle{comm_worldGinBarrier_signal0}, 1u);
  bar2.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Put | ncclGinFenceLevel::Get);
  ncclGinBarrierSession<ncclCoopCta> bar3(ncclCoopCta(), ncclGinAllContexts(comm), ncclTeamTagWorld(), 2u);
  const unsigned int result_1 = static_cast<unsigned int>(bar3.sync(ncclCoopCta(), cuda::memory_order_seq_cst, ncclGinFenceLevel::Put, cycles));
  for (int context = 0; context < comm.ginContextCount; context++) ncclGin(comm, context).flush(ncclCoopCta(), cuda::memory_order_acquire);
  ncclCoopCta().sync();
  *reinterpret_cast<unsigned int*>(out_own + 0ull) = result_1;
}

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
}  // namespace nts

extern "C" __global__ void signals(ncclDevComm const comm, int const t_nRanks, int const t_rank, int const t_stride, ncclWindow_t const win, unsigned long long const n) {
  nts::wait_for_earlier();
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_StrongSignalInc{0u});
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_StrongSignalAdd{1u, n});
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_WeakSignalInc{2u});
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_WeakSignalAdd{3u, n});
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_StrongVASignalInc{win, 0ull});
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_StrongVASignalAdd{win, 8ull, n});
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_WeakVASignalInc{win, 16ull});
  ncclGin(comm, 1u).signal(ncclTeam{t_nRanks, t_rank, t_stride}, 0, ncclGin_WeakVASignalAdd{win, 24ull, n});
  ncclGin(comm, 1u).put(ncclTeam{t_nRanks, t_rank, t_stride}, 1, win, 64ull, win, 128ull, 8ull, ncclGin_VASignalInc{win, 32ull}, ncclGin_WeakCounterInc{0u});
  ncclGin(comm, 1u).put(ncclTeam{t_nRanks, t_rank, t_stride}, 1, win, 64ull, win, 128ull, 8ull, ncclGin_VASignalAdd{win, 40ull, n}, ncclGin_None(), ncclCoopThread(), ncclGin_None(), cuda::thread_scope_thread, cuda::thread_scope_device, ncclGinOptFlagsMaySkipCreditCheck | ncclGinOptFlagsAggregateRequests);
  ncclGin(comm, 1u).waitSignal(ncclCoopCta(), win, 0ull, n);
  ncclGin(comm, 1u).waitSignal(ncclCoopCta(), win, 8ull, n, 32, cuda::memory_order_relaxed);
  const unsigned long long result = ncclGin(comm, 1u).readSignal(win, 16ull);
  const unsigned long long result_1 = ncclGin(comm, 1u).readSignal(win, 24ull, 20);
  if (result < result_1) {
    ncclGin(comm, 1u).resetSignal(win, 0ull);
  }
}

#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/comm__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/cft_barrier__funcs.h>

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

extern "C" __global__ void fabricBarriers(ncclDevComm const comm, ncclWindow_t const out) {
  char* const out_own = static_cast<char*>(ncclGetLocalPointer(out, 0));
  nts::early(out_own); nts::wait_for_earlier();
  alignas(ncclCftBarrierSession<ncclCoopCta>) unsigned char cftBar0_place[sizeof(ncclCftBarrierSession<ncclCoopCta>)];
  ncclCftBarrierSession<ncclCoopCta>& cftBar0 = *new (cftBar0_place) ncclCftBarrierSession<ncclCoopCta>(ncclCoopCta(), comm, blockIdx.x);
  cftBar0.arrive(ncclCoopCta(), cuda::memory_order_release, ncclMemProxyType::Generic, ncclMemProxyType::Fabric);
  cftBar0.wait(ncclCoopCta(), cuda::memory_order_acquire, ncclMemProxyType::Generic, ncclMemProxyType::Fabric);
  cftBar0.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclMemProxyType::Fabric, ncclMemProxyType::Generic);
  alignas(ncclCftBarrierSession<ncclCoopWarp>) unsigned char cftBar1_place[sizeof(ncclCftBarrierSession<ncclCoopWarp>)];
  ncclCftBarrierSession<ncclCoopWarp>& cftBar1 = *new (cftBar1_place) ncclCftBarrierSession<ncclCoopWarp>(ncclCoopWarp(), comm, 0u, true);
  const unsigned int result_1 = static_cast<unsigned int>(cftBar1.sync(ncclCoopWarp(), cuda::memory_order_relaxed, ncclMemProxyType::Fabric, ncclMemProxyType::Fabric, uint64_t(1000ull)));
  *reinterpret_cast<unsigned int*>(out_own + 0ull) = result_1;
  cftBar1.~ncclCftBarrierSession();
  cftBar0.~ncclCftBarrierSession();
}

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

extern "C" __global__ void waits(ncclDevComm const comm, ncclWindow_t const win, unsigned long long const n) {
  bool chosen;
  nts::wait_for_earlier();
  for (;;) {
    const unsigned long long result = ncclGin(comm, 0u).readSignal(0u);
    if (result >= 1ull) break;
  }
  for (;;) {
    const unsigned int signal = threadIdx.x % 2u;
    const unsigned long long result_1 = ncclGin(comm, 0u).readSignal(signal, 32);
    if (result_1 == n) {
      const unsigned long long result_2 = ncclGin(comm, 0u).readCounter(0u);
      chosen = result_2 >= 1ull;
    } else {
      chosen = false;
    }
    if (chosen) break;
  }
  for (;;) {
    const unsigned long long result_3 = ncclGin(comm, 0u).readSignal(win, 8ull);
    if (!(result_3 < n)) break;
  }
}

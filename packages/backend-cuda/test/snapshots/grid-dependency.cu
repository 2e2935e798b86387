#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>

namespace nts {
// Waits until the launch before this one on the stream has ended and its writes are visible.
__device__ __forceinline__ void grid_dependency_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the next launch begin once all CTAs have made this call or have ended.
__device__ __forceinline__ void launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
}  // namespace nts

extern "C" __global__ void depends(ncclDevComm const comm, ncclWindow_t const win) {
  char* const win_own = static_cast<char*>(ncclGetLocalPointer(win, 0));
  unsigned int* const words = reinterpret_cast<unsigned int*>(win_own + 0ull);
  unsigned int* const own = reinterpret_cast<unsigned int*>(win_own + 64ull);
  *own = 1u;
  nts::grid_dependency_sync();
  const unsigned int v = *words;
  own[1] = v;
  nts::launch_dependents();
}

#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/comm__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/cft__funcs.h>

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

extern "C" __global__ void fabricCounted(ncclDevComm const comm, ncclWindow_t const win) {
  const int comm_cftSize = comm.cftSize;
  const int comm_cftRank = comm.cftRank;
  char* const win_own = static_cast<char*>(ncclGetLocalPointer(win, 0));
  __shared__ alignas(16) unsigned long long sharedArray[2];
  __shared__ alignas(16) float sharedArray_1[64];
  unsigned long long localArray[2];
  unsigned long long localArray_1[2];
  nts::early(win_own); nts::wait_for_earlier();
  alignas(ncclCft<ncclCoopCta>) unsigned char cft0_place[sizeof(ncclCft<ncclCoopCta>)];
  ncclCft<ncclCoopCta>& cft0 = *new (cft0_place) ncclCft<ncclCoopCta>(ncclCoopCta(), *reinterpret_cast<ncclCftSmem*>(sharedArray));
  ncclCftLeId le_id;
  size_t le_offset;
  ncclGetCftLeInfo(win, 0ull, 0, ncclTeam{comm_cftSize, comm_cftRank, 1}, comm, &le_id, &le_offset);
  localArray[0] = le_id;
  localArray[1] = le_offset;
  const unsigned long long v = *localArray;
  const unsigned int leId = (unsigned int)v;
  const unsigned long long v_1 = localArray[1];
  const unsigned long long counterOffset = v_1 + 256ull;
  cft0.putCounted(ncclCoopCta(), leId, v_1, counterOffset, sharedArray_1, 256u);
  ncclCftLeId le_id_1;
  size_t le_offset_1;
  ncclGetMultimemLeInfo(win, 0ull, comm, &le_id_1, &le_offset_1);
  localArray_1[0] = le_id_1;
  localArray_1[1] = le_offset_1;
  const unsigned long long v_2 = *localArray_1;
  const unsigned int leId_1 = (unsigned int)v_2;
  const unsigned long long v_3 = localArray_1[1];
  const unsigned long long counterOffset_1 = v_3 + 256ull;
  cft0.putMultimemCounted(ncclCoopCta(), leId_1, v_3, counterOffset_1, sharedArray_1, 256u);
  cft0.submit(ncclCoopCta());
  cft0.flush(ncclCoopCta());
  unsigned long long* const counter = reinterpret_cast<unsigned long long*>(win_own + 256ull);
  cft0.waitCounted(ncclCoopCta(), cuda::memory_order_acquire, ncclMemProxyType::Generic, reinterpret_cast<uint64_t*>(counter), 512ull, static_cast<uint32_t*>(nullptr));
  const unsigned int result_1 = static_cast<unsigned int>(cft0.waitCounted(ncclCoopCta(), cuda::memory_order_acq_rel, ncclMemProxyType::Fabric, reinterpret_cast<uint64_t*>(counter), 1024ull, uint64_t(1000ull)));
  if (result_1 != 0u) {
    *sharedArray_1 = 0.0f;
  }
  cft0.~ncclCft();
}

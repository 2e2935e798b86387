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
}  // namespace nts

extern "C" __global__ void fabricReductionsCounted(ncclDevComm const comm, ncclWindow_t const win) {
  const int comm_cftSize = comm.cftSize;
  const int comm_cftRank = comm.cftRank;
  __shared__ alignas(16) unsigned long long sharedArray[2];
  __shared__ alignas(16) unsigned long long sharedArray_1[32];
  unsigned long long localArray[2];
  unsigned long long localArray_1[2];
  nts::wait_for_earlier();
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
  cft0.redCounted(ncclCoopCta(), leId, v_1, counterOffset, ncclCftOpSum<uint64_t>{}, sharedArray_1, 256u);
  ncclCftLeId le_id_1;
  size_t le_offset_1;
  ncclGetMultimemLeInfo(win, 0ull, comm, &le_id_1, &le_offset_1);
  localArray_1[0] = le_id_1;
  localArray_1[1] = le_offset_1;
  const unsigned long long v_2 = *localArray_1;
  const unsigned int leId_1 = (unsigned int)v_2;
  const unsigned long long v_3 = localArray_1[1];
  const unsigned long long counterOffset_1 = v_3 + 256ull;
  cft0.redMultimemCounted(ncclCoopCta(), leId_1, v_3, counterOffset_1, ncclCftOpMax<uint64_t>{}, sharedArray_1, 256u);
  cft0.submit(ncclCoopCta());
  cft0.flush(ncclCoopCta());
  cft0.~ncclCft();
}

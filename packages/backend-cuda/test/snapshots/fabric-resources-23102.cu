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

extern "C" __global__ void fabricResources(ncclDevComm const comm, unsigned int const handle) {
  const ncclWindow_t comm_resourceWindow = comm.resourceWindow;
  const int comm_cftSize = comm.cftSize;
  const int comm_cftRank = comm.cftRank;
  const int comm_rank = comm.rank;
  __shared__ alignas(16) float sharedArray[64];
  __shared__ alignas(16) unsigned long long sharedArray_1[2];
  unsigned long long localArray[2];
  unsigned long long localArray_1[2];
  unsigned long long localArray_2[2];
  nts::wait_for_earlier();
  alignas(ncclCft<ncclCoopCta>) unsigned char cft0_place[sizeof(ncclCft<ncclCoopCta>)];
  ncclCft<ncclCoopCta>& cft0 = *new (cft0_place) ncclCft<ncclCoopCta>(ncclCoopCta(), *reinterpret_cast<ncclCftSmem*>(sharedArray_1));
  const unsigned long long offset = (unsigned long long)handle * 128ull;
  ncclCftLeId le_id;
  size_t le_offset;
  ncclGetCftLeInfo(comm_resourceWindow, offset, 1, ncclTeam{comm_cftSize, comm_cftRank, 1}, comm, &le_id, &le_offset);
  localArray[0] = le_id;
  localArray[1] = le_offset;
  const unsigned long long v = *localArray;
  const unsigned int leId = (unsigned int)v;
  const unsigned long long v_1 = localArray[1];
  cft0.put(ncclCoopCta(), leId, v_1, sharedArray, 256u);
  const unsigned long long offset_1 = (unsigned long long)handle * 128ull;
  ncclCftLeId le_id_1;
  size_t le_offset_1;
  ncclGetPeerLeInfo(comm_resourceWindow, offset_1, comm_rank, comm, &le_id_1, &le_offset_1);
  localArray_1[0] = le_id_1;
  localArray_1[1] = le_offset_1;
  const unsigned long long v_2 = *localArray_1;
  const unsigned int leId_1 = (unsigned int)v_2;
  const unsigned long long v_3 = localArray_1[1];
  cft0.put(ncclCoopCta(), leId_1, v_3, sharedArray, 256u);
  const unsigned long long offset_2 = (unsigned long long)handle * 128ull;
  ncclCftLeId le_id_2;
  size_t le_offset_2;
  ncclGetMultimemLeInfo(comm_resourceWindow, offset_2, comm, &le_id_2, &le_offset_2);
  localArray_2[0] = le_id_2;
  localArray_2[1] = le_offset_2;
  const unsigned long long v_4 = *localArray_2;
  const unsigned int leId_2 = (unsigned int)v_4;
  const unsigned long long v_5 = localArray_2[1];
  cft0.putMultimem(ncclCoopCta(), leId_2, v_5, sharedArray, 16u);
  cft0.submit(ncclCoopCta());
  cft0.flush(ncclCoopCta());
  cft0.~ncclCft();
}

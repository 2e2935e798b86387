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

extern "C" __global__ void fabricOperations(ncclDevComm const comm, ncclWindow_t const win) {
  const int comm_cftSize = comm.cftSize;
  const int comm_lsaSize = comm.lsaSize;
  const int comm_cftRank = comm.cftRank;
  const int comm_rank = comm.rank;
  const int comm_cftMultimemSize = comm.cftMultimemSize;
  __shared__ alignas(16) unsigned long long sharedArray[2];
  __shared__ alignas(16) float sharedArray_1[64];
  unsigned long long localArray[2];
  unsigned long long localArray_1[2];
  unsigned long long localArray_2[2];
  nts::wait_for_earlier();
  alignas(ncclCft<ncclCoopCta>) unsigned char cft0_place[sizeof(ncclCft<ncclCoopCta>)];
  ncclCft<ncclCoopCta>& cft0 = *new (cft0_place) ncclCft<ncclCoopCta>(ncclCoopCta(), *reinterpret_cast<ncclCftSmem*>(sharedArray));
  const int nRanks = comm_cftSize / comm_lsaSize;
  const int rank = comm_cftRank / comm_lsaSize;
  ncclCftLeId le_id;
  size_t le_offset;
  ncclGetCftLeInfo(win, 16ull, 1, ncclTeam{nRanks, rank, comm_lsaSize}, comm, &le_id, &le_offset);
  localArray[0] = le_id;
  localArray[1] = le_offset;
  const unsigned long long v = *localArray;
  const unsigned int leId = (unsigned int)v;
  const unsigned long long v_1 = localArray[1];
  cft0.put(ncclCoopCta(), leId, v_1, sharedArray_1, 256u);
  ncclCftLeId le_id_1;
  size_t le_offset_1;
  ncclGetPeerLeInfo(win, 0ull, comm_rank, comm, &le_id_1, &le_offset_1);
  localArray_1[0] = le_id_1;
  localArray_1[1] = le_offset_1;
  const unsigned long long v_2 = *localArray_1;
  const unsigned int leId_1 = (unsigned int)v_2;
  const unsigned long long v_3 = localArray_1[1];
  const unsigned long long leOffset = v_3 + 16ull;
  float* const source = sharedArray_1 + 4;
  cft0.putCpMask(ncclCoopWarp(), leId_1, leOffset, source, 16u, 255u);
  ncclCftLeId le_id_2;
  size_t le_offset_2;
  ncclGetMultimemLeInfo(win, 0ull, comm, &le_id_2, &le_offset_2);
  localArray_2[0] = le_id_2;
  localArray_2[1] = le_offset_2;
  const unsigned long long v_4 = *localArray_2;
  const unsigned int leId_2 = (unsigned int)v_4;
  const unsigned long long v_5 = localArray_2[1];
  cft0.putMultimem(ncclCoopCta(), leId_2, v_5, sharedArray_1, 16u);
  cft0.putMultimemCpMask(ncclCoopCta(), leId_2, v_5, sharedArray_1, 16u, 1u);
  cft0.submit(ncclCoopCta());
  cft0.flushSmem(ncclCoopCta());
  cft0.get(ncclCoopCta(), leId, v_1, sharedArray_1, 64u);
  cft0.submit(ncclCoopCta());
  cft0.flush(ncclCoopCta());
  *sharedArray_1 = (float)comm_cftMultimemSize;
  cft0.~ncclCft();
}

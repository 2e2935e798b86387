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

extern "C" __global__ void fabricReductions(ncclDevComm const comm, ncclWindow_t const win) {
  const int comm_cftSize = comm.cftSize;
  const int comm_cftRank = comm.cftRank;
  __shared__ alignas(16) unsigned long long sharedArray[2];
  __shared__ alignas(16) unsigned int sharedArray_1[64];
  unsigned long long localArray[2];
  unsigned long long localArray_1[2];
  int* const signed_1 = reinterpret_cast<int*>(sharedArray_1);
  nts::wait_for_earlier();
  alignas(ncclCft<ncclCoopCta>) unsigned char cft0_place[sizeof(ncclCft<ncclCoopCta>)];
  ncclCft<ncclCoopCta>& cft0 = *new (cft0_place) ncclCft<ncclCoopCta>(ncclCoopCta(), *reinterpret_cast<ncclCftSmem*>(sharedArray));
  ncclCftLeId le_id;
  size_t le_offset;
  ncclGetCftLeInfo(win, 16ull, 1, ncclTeam{comm_cftSize, comm_cftRank, 1}, comm, &le_id, &le_offset);
  localArray[0] = le_id;
  localArray[1] = le_offset;
  const unsigned long long v = *localArray;
  const unsigned int leId = (unsigned int)v;
  const unsigned long long v_1 = localArray[1];
  ncclCftLeId le_id_1;
  size_t le_offset_1;
  ncclGetMultimemLeInfo(win, 0ull, comm, &le_id_1, &le_offset_1);
  localArray_1[0] = le_id_1;
  localArray_1[1] = le_offset_1;
  const unsigned long long v_2 = *localArray_1;
  const unsigned int leId_1 = (unsigned int)v_2;
  const unsigned long long v_3 = localArray_1[1];
  cft0.red(ncclCoopCta(), leId, v_1, ncclCftOpSum<uint32_t>{}, signed_1, 256u);
  cft0.red(ncclCoopCta(), leId, v_1, ncclCftOpMin<int32_t>{}, signed_1, 256u);
  cft0.red(ncclCoopCta(), leId, v_1, ncclCftOpMax<uint32_t>{}, sharedArray_1, 256u);
  unsigned long long* const source = reinterpret_cast<unsigned long long*>(sharedArray_1);
  cft0.redMultimem(ncclCoopCta(), leId_1, v_3, ncclCftOpAnd<uint64_t>{}, source, 256u);
  long long* const source_1 = reinterpret_cast<long long*>(sharedArray_1);
  cft0.redMultimem(ncclCoopWarp(), leId_1, v_3, ncclCftOpOr<int64_t>{}, source_1, 256u);
  cft0.pullRed(ncclCoopWarp(), leId_1, v_3, ncclCftOpXor<uint32_t>{}, sharedArray_1, 256u);
  long long* const destination = reinterpret_cast<long long*>(sharedArray_1);
  cft0.pullRed(ncclCoopWarp(), leId_1, v_3, ncclCftOpSum<uint64_t>{}, destination, 256u);
  cft0.submit(ncclCoopCta());
  cft0.flush(ncclCoopCta());
  cft0.~ncclCft();
}

import type { CudaSource } from '@nccl-ts/backend-cuda';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';

/**
 * The same AllReduce, as an author of CUDA C++ writes it with NCCL's device API. It has the
 * parameters of ours.
 */
const text = `#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/comm__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/lsa_barrier__funcs.h>

extern "C" __global__ void handWritten(ncclDevComm devComm, ncclWindow_t win, size_t offset, unsigned int count) {
  ncclLsaBarrierSession<ncclCoopCta> bar { ncclCoopCta(), devComm, ncclTeamTagLsa(), blockIdx.x };
  bar.sync(ncclCoopCta(), cuda::memory_order_acquire);
  const int rank = devComm.lsaRank, nRanks = devComm.lsaSize;
  const unsigned int first = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
  const unsigned int step = blockDim.x * gridDim.x * nRanks;
  for (size_t o = first; o < count; o += step) {
    float sum = 0;
    for (int peer = 0; peer < nRanks; peer++) sum += ((float*)ncclGetLsaPointer(win, offset, peer))[o];
    for (int peer = 0; peer < nRanks; peer++) ((float*)ncclGetLsaPointer(win, offset, peer))[o] = sum;
  }
  bar.sync(ncclCoopCta(), cuda::memory_order_release);
}
`;

/**
 * Compiled as the backend does, with the same flags, and launched with the same arguments.
 */
export const handWrittenAllReduce: CudaSource = {
  text,
  entry: 'handWritten',
  ncclIncludes: ['nccl_device/impl/lsa_barrier__funcs.h'],
  lines: [],
  params: [
    { kind: 'devComm' },
    { kind: 'window' },
    { kind: 'value', bytes: 8, align: 8 },
    { kind: 'value', bytes: 4, align: 4 },
  ],
};

/** The kernel that has the same parameters. */
export const emittedAllReduce: typeof allReduceKernel = allReduceKernel;

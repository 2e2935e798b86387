import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Sums `count` floats over all LSA ranks. One thread of one rank handles each element: it reads the
 * element at every peer and writes the sum to every peer. Launch it on every rank with the same
 * grid. It needs one LSA barrier for each CTA.
 */
export const allReduceKernel = kernel(
  {
    name: 'allReduceKernel',
    use: { lsa },
    params: { sendWin: window, sendOffset: u64, recvWin: window, recvOffset: u64, count: u32, comm: devComm },
  },
  (
    { lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 },
    { sendWin, sendOffset, recvWin, recvOffset, count, comm },
  ) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'relaxed');

    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const globalTid = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
    const globalNthreads = blockDim.x * gridDim.x * nRanks;

    for (let offset = globalTid; offset < count; offset += globalNthreads) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(sendWin, f32, sendOffset, peer)[offset]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(recvWin, f32, recvOffset, peer)[offset] = v;
    }

    // Without the release, the next kernel could run before the peers' stores to this rank have
    // arrived.
    bar.sync(coopCta(), 'release');
  },
);

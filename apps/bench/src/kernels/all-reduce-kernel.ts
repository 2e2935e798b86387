import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** The AllReduce of NCCL's device API guide, in place. */
export const allReduceKernel = kernel(
  {
    name: 'inPlaceAllReduce',
    use: { lsa },
    params: { comm: devComm, win: window, offset: u64, count: u32 },
  },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, offset, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const globalTid = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
    const globalNthreads = blockDim.x * gridDim.x * nRanks;

    for (let o = globalTid; o < count; o += globalNthreads) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, offset, peer)[o]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, offset, peer)[o] = v;
    }
    bar.sync(coopCta(), 'release');
  },
);

import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32, vec } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * The AllReduce of NCCL's device API guide, in place, 16 bytes at a time. `count` is in vectors of
 * four floats.
 */
export const vectorAllReduceKernel = kernel(
  { name: 'vectorAllReduce', use: { lsa, V: vec(f32, 4) }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, V, coopCta, threadIdx, blockIdx, blockDim, gridDim }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    const step = blockDim.x * gridDim.x * nRanks;
    for (let o = first; o < count; o += step) {
      let v = lsa.pointer(win, V, 0, 0)[o]!;
      for (let peer = 1; peer < nRanks; peer++) v += lsa.pointer(win, V, 0, peer)[o]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, V, 0, peer)[o] = v;
    }
    bar.sync(coopCta(), 'release');
  },
);

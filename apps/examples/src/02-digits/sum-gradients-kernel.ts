import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * An in-place AllReduce: afterwards every rank's window holds the element-wise sum of all ranks'
 * windows.
 */
export const sumGradients = kernel(
  { name: 'sumGradients', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * nRanks) {
      let sum = f32(0);
      for (let peer = 0; peer < nRanks; peer++) sum += lsa.pointer(win, f32, 0, peer)[i]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, 0, peer)[i] = sum;
    }

    bar.sync(coopCta(), 'release');
  },
);

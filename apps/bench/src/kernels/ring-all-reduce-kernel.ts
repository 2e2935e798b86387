import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * An in-place ring AllReduce of 2 (n - 1) steps, with a barrier after each. In the first half every
 * rank adds a chunk of its left neighbour to its own, and in the second it copies the finished
 * chunks. `count` is divisible by the number of ranks.
 */
export const ringAllReduceKernel = kernel(
  { name: 'ringAllReduce', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const chunk = count / u32(nRanks);
    const own = lsa.localPointer(win, f32, 0);
    const left = lsa.pointer(win, f32, 0, (rank + nRanks - 1) % nRanks);
    const first = threadIdx.x + blockDim.x * blockIdx.x;
    const step = blockDim.x * gridDim.x;

    for (let k = 0; k < nRanks - 1; k++) {
      const base = u32((rank + nRanks - 1 - k) % nRanks) * chunk;
      for (let i = first; i < chunk; i += step) own[base + i] = own[base + i]! + left[base + i]!;
      bar.sync(coopCta(), 'acq_rel');
    }
    for (let k = 0; k < nRanks - 1; k++) {
      const base = u32((rank + nRanks - k) % nRanks) * chunk;
      for (let i = first; i < chunk; i += step) own[base + i] = left[base + i]!;
      bar.sync(coopCta(), 'acq_rel');
    }
  },
);

import { devComm } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';

/**
 * The first thread of every CTA prints its CTA and rank.
 *
 *     nccl-ts run apps/examples/kernels/hello.ts --ranks 2 --grid 2 --block 32
 */
export const hello = kernel(
  { name: 'hello', params: { comm: devComm } },
  ({ threadIdx, blockIdx, gridDim, print }, { comm }) => {
    if (threadIdx.x === 0)
      print('hello from CTA', blockIdx.x, 'of', gridDim.x, 'on rank', comm.rank, 'of', comm.nRanks);
  },
);

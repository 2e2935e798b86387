import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { blockRmsNorm } from './block-rms-norm.ts';

/**
 * RMSNorm of tokens whose parts are distributed over an LSA team. Each rank sums the team's parts
 * of its share of the tokens, one token in each CTA. It normalises the sums and stores them to all
 * ranks. It works in place: `win` first holds a part of every token, and then every token.
 *
 * The grid is the number of tokens of a rank's share. Each CTA needs an LSA barrier.
 */
export const rmsNormLsa = kernel(
  {
    name: 'rmsNormLsa',
    use: { lsa, blockRmsNorm },
    params: { win: window, hidden: u32, eps: f32, comm: devComm },
  },
  ({ lsa, blockRmsNorm, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 }, { win, hidden, eps, comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const token = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
    const offset = token * hidden * 4;
    const mine = lsa.localPointer(win, f32, offset);
    for (let i = threadIdx.x; i < hidden; i += blockDim.x) {
      let sum = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) sum += lsa.pointer(win, f32, offset, peer)[i]!;
      mine[i] = sum;
    }

    blockRmsNorm(mine, hidden, eps);

    for (let step = 1; step < comm.lsaSize; step++) {
      const theirs = lsa.pointer(win, f32, offset, (comm.lsaRank + step) % comm.lsaSize);
      for (let i = threadIdx.x; i < hidden; i += blockDim.x) theirs[i] = mine[i]!;
    }
    bar.sync(coopCta(), 'release');
  },
);

import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import { blockRmsNorm } from './block-rms-norm.ts';

/**
 * Like `rmsNormLsa`, but the switches sum and copy. A reducing load returns the sum of all parts,
 * and one store reaches all ranks. Needs `lsaMultimem`.
 */
export const rmsNormMultimem = kernel(
  {
    name: 'rmsNormMultimem',
    use: { lsa, multimem, blockRmsNorm },
    params: { win: window, hidden: u32, eps: f32, comm: devComm },
  },
  (
    { lsa, multimem, blockRmsNorm, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 },
    { win, hidden, eps, comm },
  ) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, { multimem: true });
    bar.sync(coopCta(), 'acquire');

    const token = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
    const offset = token * hidden * 4;
    const mine = lsa.localPointer(win, f32, offset);
    const all = multimem.lsaPointer(win, f32, offset, comm);
    for (let i = threadIdx.x; i < hidden; i += blockDim.x) mine[i] = multimem.loadReduce(all.offset(i));

    blockRmsNorm(mine, hidden, eps);

    for (let i = threadIdx.x; i < hidden; i += blockDim.x) multimem.store(all.offset(i), mine[i]!);
    bar.sync(coopCta(), 'release');
  },
);

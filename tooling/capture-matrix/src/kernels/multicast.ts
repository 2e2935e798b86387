import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';

/**
 * Multicast addresses of vectors and scalars, with each of their operations, between barriers that
 * also use them.
 */
export const multicasts = kernel(
  { name: 'multicasts', use: { lsa, multimem }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, multimem, coopCta, threadIdx, f32, u32, vec }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0, { multimem: true });
    const numbers = multimem.lsaPointer(win, u32, 256, comm);
    const vectors = multimem.pointer(win, vec(f32, 4), 4096, comm.lsaMultimem);
    bar.sync(coopCta(), 'acq_rel');
    if (threadIdx.x < count) multimem.reduce(numbers.offset(threadIdx.x), comm.rank + 1, 'max');
    bar.sync(coopCta(), 'acq_rel');
    if (threadIdx.x === 0 && comm.rank === 0) {
      multimem.store(vectors.offset(1), vec(f32, 4)(1, 2, 3, 4));
      multimem.store(vectors, multimem.loadReduce(vectors.offset(1)));
    }
    bar.sync(coopCta(), 'acq_rel');
    if (threadIdx.x < count) {
      lsa.localPointer(win, u32, 512).store(threadIdx.x, multimem.loadReduce(numbers.offset(threadIdx.x), 'xor'));
    }
    bar.sync(coopCta(), 'acq_rel');
  },
);

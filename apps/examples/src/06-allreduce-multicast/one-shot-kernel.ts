import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';

/**
 * Sums `lines` lines of four floats over an LSA team. Every rank loads every sum from the switches
 * and keeps it. No rank writes memory that another rank reads, so the kernel does not wait. The
 * caller must ensure that `send` is written, and does not change until all ranks have finished.
 */
export const allReduceOneShot = kernel(
  {
    name: 'allReduceOneShot',
    use: { lsa, multimem },
    params: { send: window, recv: window, lines: u32, comm: devComm },
  },
  ({ lsa, multimem, threadIdx, blockIdx, blockDim, gridDim, vec, f32 }, { send, recv, lines, comm }) => {
    const line = vec(f32, 4);
    const all = multimem.lsaPointer(send, line, 0, comm);
    const mine = lsa.localPointer(recv, line, 0);
    for (let i = threadIdx.x + blockIdx.x * blockDim.x; i < lines; i += blockDim.x * gridDim.x) {
      mine[i] = multimem.loadReduce(all.offset(i));
    }
  },
);

import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { pushLines } from './push-chunks.ts';

/**
 * An all-to-all within an LSA team. Each rank pushes its chunks, and a barrier at the end waits for
 * all ranks. The caller must ensure that no rank still reads its destination. Needs an LSA barrier
 * for each CTA, and whole warps.
 */
export const allToAllSimple = kernel(
  {
    name: 'allToAllSimple',
    use: { lsa, pushLines },
    params: { send: window, recv: window, lines: u32, comm: devComm },
  },
  (
    { lsa, pushLines, coopCta, coopWarpSpan, fence, threadIdx, blockIdx, blockDim, gridDim, warpSize, min },
    { send, recv, lines, comm },
  ) => {
    const each = (lines + gridDim.x - 1) / gridDim.x;
    const first = blockIdx.x * each;
    if (first >= lines) return;
    pushLines(comm, send, recv, lines, first, min(first + each, lines));

    const warp = threadIdx.x / warpSize;
    if (blockDim.x / warpSize === comm.lsaSize) {
      // With few threads, one warp synchronizes with the peers for all of them. The stores of the
      // others are released before.
      coopCta().sync();
      fence('release', 'system');
      if (warp === 0) {
        const span = coopWarpSpan(0, 1, 0);
        const bar = lsa.barrierSession(span, comm, blockIdx.x);
        bar.arrive(span, 'relaxed');
        bar.wait(span, 'acquire');
      }
      coopCta().sync();
    } else {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.arrive(coopCta(), 'release');
      bar.wait(coopCta(), 'acquire');
    }
  },
);

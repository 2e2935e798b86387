import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { pushLines } from './push-chunks.ts';

/**
 * An all-to-all within an LSA team: each rank pushes, and a barrier at the end says that all have.
 * The caller ensures that no chunk is still being read. Needs an LSA barrier for each CTA, and
 * whole warps.
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
      // Few threads: one warp meets the peers for all of them, and what the others have stored is
      // released before.
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

import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { reduceShare } from './reduce-share.ts';

/**
 * Sums `lines` lines of four floats over an LSA team. Each rank sums an equal share of the lines,
 * and stores the sums to all ranks. A barrier then waits for all of them. The caller must ensure
 * that `send` is written before. Needs an LSA barrier for each CTA.
 */
export const allReduceTwoShot = kernel(
  {
    name: 'allReduceTwoShot',
    use: { lsa, reduceShare },
    params: { send: window, recv: window, lines: u32, comm: devComm },
  },
  ({ lsa, reduceShare, coopCta, blockIdx, gridDim, u32, min }, { send, recv, lines, comm }) => {
    const share = lines / u32(comm.lsaSize);
    const each = (share + gridDim.x - 1) / gridDim.x;
    if (blockIdx.x * each >= share) return;
    const begin = u32(comm.lsaRank) * share;
    const first = begin + blockIdx.x * each;
    reduceShare(comm, send, u32(0), recv, first, begin + min((blockIdx.x + 1) * each, share), (sums) => sums);

    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.arrive(coopCta(), 'release');
    bar.wait(coopCta(), 'acquire');
  },
);

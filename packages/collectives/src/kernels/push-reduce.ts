import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { ReduceKernel, ReduceShape } from './collective-kernel.ts';
import { rankScales } from './rank-scales.ts';
import { shareBegin } from './share-begin.ts';

/**
 * Reduce within one load-store domain: the ranks share the elements out, each loads its share from all, reduces it, and stores
 * it to `recv` of the root, so that no rank does all of the work. `recv` may be `send`; of other ranks it is not touched.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushReduce({ T, A, count, reduction, scaled }: ReduceShape): ReduceKernel {
  return kernel(
    {
      name: 'pushReduce',
      use: { rankScales: rankScales(A, scaled), lsa, shareBegin, reduction, T },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32, scale: A, scales: u32 },
    },
    (
      { rankScales, lsa, shareBegin, reduction, T, coopCta, blockIdx, gridDim, u32 },
      { comm, send, recv, count, root, scale, scales },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      const scaleOf = rankScales(coopCta(), comm, scales, scale, () => bar.sync(coopCta(), 'acq_rel'));
      const nRanks = u32(comm.lsaSize);
      const part = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
      const first = shareBegin(T, count, part, nRanks * gridDim.x);
      const end = shareBegin(T, count, part + 1, nRanks * gridDim.x);
      const from = (i: number) => send.lsaPtr(i).offset(first);
      const to = (_i: number) => recv.lsaPtr(root).offset(first);
      reduction(coopCta(), T, from, nRanks, to, 1, end - first, nRanks, scaleOf);
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

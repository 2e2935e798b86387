import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { ReduceKernel, ReduceShape } from './collective-kernel.ts';
import { rankScales } from './rank-scales.ts';
import { shareBegin } from './share-begin.ts';

/**
 * AllReduce within one load-store domain, in one pass: each CTA of each rank has its share of the elements, loads it from all
 * ranks, reduces it, and stores the result to all ranks. One barrier before, because the sources must be there, and one
 * behind. Each element is computed once, so all ranks get the same bits. `send` may be `recv`.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function twoShotAllReduce({ T, A, count, reduction, scaled }: ReduceShape): ReduceKernel {
  return kernel(
    {
      name: 'twoShotAllReduce',
      use: { rankScales: rankScales(A, scaled), lsa, shareBegin, reduction, T },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32, scale: A, scales: u32 },
    },
    (
      { rankScales, lsa, shareBegin, reduction, T, coopCta, blockIdx, gridDim, u32 },
      { comm, send, recv, count, scale, scales },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      const scaleOf = rankScales(coopCta(), comm, scales, scale, () => bar.sync(coopCta(), 'acq_rel'));
      const nRanks = u32(comm.lsaSize);
      const part = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
      const first = shareBegin(T, count, part, nRanks * gridDim.x);
      const end = shareBegin(T, count, part + 1, nRanks * gridDim.x);
      const from = (i: number) => send.lsaPtr(i).offset(first);
      const to = (i: number) => recv.lsaPtr(i).offset(first);
      reduction(coopCta(), T, from, nRanks, to, nRanks, end - first, nRanks, scaleOf);
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { ReduceKernel, ReduceShape } from './collective-kernel.ts';
import { rankScales } from './rank-scales.ts';
import { shareBegin } from './share-begin.ts';

/**
 * ReduceScatter within one load-store domain: each rank loads its `count` elements from all ranks' `send`, which has them for
 * each rank one after the other, and reduces them into its own `recv`. `recv` may be the rank's part of `send`.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pullReduceScatter({ T, A, count, reduction, scaled }: ReduceShape): ReduceKernel {
  return kernel(
    {
      name: 'pullReduceScatter',
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
      const first = shareBegin(T, count, blockIdx.x, gridDim.x);
      const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
      const mine = count * u32(comm.lsaRank) + first;
      const from = (i: number) => send.lsaPtr(i).offset(mine);
      const to = (_i: number) => recv.localPtr().offset(first);
      reduction(coopCta(), T, from, nRanks, to, 1, end - first, nRanks, scaleOf);
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

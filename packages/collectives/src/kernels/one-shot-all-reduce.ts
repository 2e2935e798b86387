import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { ReduceKernel, ReduceShape } from './collective-kernel.ts';
import { rankScales } from './rank-scales.ts';
import { shareBegin } from './share-begin.ts';

/**
 * AllReduce within one load-store domain, where every rank loads all of all ranks and reduces it for itself: more loads, but
 * stores to no peer. All ranks reduce in the same order, so all get the same bits. `recv` may not be `send`: a peer may be
 * reading there still.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function oneShotAllReduce({ T, A, count, reduction, scaled }: ReduceShape): ReduceKernel {
  return kernel(
    {
      name: 'oneShotAllReduce',
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
      const from = (i: number) => send.lsaPtr(i).offset(first);
      const to = (_i: number) => recv.localPtr().offset(first);
      reduction(coopCta(), T, from, nRanks, to, 1, end - first, nRanks, scaleOf);
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

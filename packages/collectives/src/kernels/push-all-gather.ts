import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { CopyKernel, CopyShape } from './collective-kernel.ts';
import { shareBegin } from './share-begin.ts';

/**
 * AllGather within one load-store domain: each rank stores its `count` elements to all ranks' `recv`, which has those of each rank
 * one after the other. `send` may be the rank's part of `recv`.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushAllGather({ T, count, pace }: CopyShape): CopyKernel {
  return kernel(
    {
      name: 'pushAllGather',
      use: { lsa, reduceCopy, shareBegin, T, PACKS: pace.packs },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    (
      { lsa, reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
      { comm, send, recv, count },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      const first = shareBegin(T, count, blockIdx.x, gridDim.x);
      const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
      const from = send.localPtr().offset(first);
      const mine = count * u32(comm.lsaRank) + first;
      reduceCopy.localCopy(coopCta(), from, (i) => recv.lsaPtr(i).offset(mine), u32(comm.lsaSize), end - first, {
        unroll: (PACKS * 16) / sizeOf(T),
      });
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

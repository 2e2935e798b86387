import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { CopyKernel, CopyShape } from './collective-kernel.ts';
import { shareBegin } from './share-begin.ts';

/**
 * Scatter within one load-store domain: each rank loads its `count` elements from `send` of the root, which has those for each
 * rank one after the other. At the root `recv` may be its own part of `send`; of other ranks `send` is not touched.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pullScatter({ T, count, pace }: CopyShape): CopyKernel {
  return kernel(
    {
      name: 'pullScatter',
      use: { lsa, reduceCopy, shareBegin, T, PACKS: pace.packs },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    (
      { lsa, reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
      { comm, send, recv, count, root },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      const first = shareBegin(T, count, blockIdx.x, gridDim.x);
      const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
      const mine = count * u32(comm.lsaRank) + first;
      const to = recv.localPtr().offset(first);
      reduceCopy.localCopy(coopCta(), send.lsaPtr(root).offset(mine), (_i) => to, 1, end - first, {
        unroll: (PACKS * 16) / sizeOf(T),
      });
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

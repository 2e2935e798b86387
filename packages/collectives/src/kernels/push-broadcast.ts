import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { CopyKernel, CopyShape } from './collective-kernel.ts';
import { shareBegin } from './share-begin.ts';

/**
 * Broadcast within one load-store domain: the ranks share the elements out, each loads its share from the root once and stores it
 * to all, so that the root sends each element once. At the root `send` may be `recv`.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushBroadcast({ T, count, pace }: CopyShape): CopyKernel {
  return kernel(
    {
      name: 'pushBroadcast',
      use: { lsa, reduceCopy, shareBegin, T, PACKS: pace.packs },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    (
      { lsa, reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
      { comm, send, recv, count, root },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      const nRanks = u32(comm.lsaSize);
      const part = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
      const first = shareBegin(T, count, part, nRanks * gridDim.x);
      const end = shareBegin(T, count, part + 1, nRanks * gridDim.x);
      const from = send.lsaPtr(root).offset(first);
      reduceCopy.localCopy(coopCta(), from, (i) => recv.lsaPtr(i).offset(first), nRanks, end - first, {
        unroll: (PACKS * 16) / sizeOf(T),
      });
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

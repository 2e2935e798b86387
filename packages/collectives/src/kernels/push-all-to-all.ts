import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { CopyKernel, CopyShape } from './collective-kernel.ts';
import { shareBegin } from './share-begin.ts';

/**
 * AlltoAll within one load-store domain: the `count` elements that `send` has for each rank are stored to the place of the own rank
 * in that rank's `recv`. Each rank begins with the peer behind it, so that not all store to the same one. What a rank has for itself
 * goes by no link: some CTAs copy it earlier and some later, while the others keep the links busy. `recv` may not overlap `send`.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushAllToAll({ T, count, pace }: CopyShape): CopyKernel {
  return kernel(
    {
      name: 'pushAllToAll',
      use: { lsa, reduceCopy, shareBegin, T, PACKS: pace.packs },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    (
      { lsa, reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
      { comm, send, recv, count },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      const nRanks = u32(comm.lsaSize);
      const rank = u32(comm.lsaRank);
      const first = shareBegin(T, count, blockIdx.x, gridDim.x);
      const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
      const mine = count * rank + first;
      const own = blockIdx.x % nRanks;
      for (let turn = u32(0); turn < nRanks; turn++) {
        const step = turn === own ? 0 : turn < own ? turn + 1 : turn;
        const peer = (rank + step) % nRanks;
        const from = send.localPtr().offset(count * peer + first);
        reduceCopy.localCopy(coopCta(), from, (_i) => recv.lsaPtr(peer).offset(mine), 1, end - first, {
          unroll: (PACKS * 16) / sizeOf(T),
        });
      }
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

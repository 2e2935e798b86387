import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { CopyShape } from './collective-kernel.ts';
import type { CopyForm, DeviceCall } from './collective-form.ts';
import { shareBegin } from './share-begin.ts';

/**
 * Scatter within one load-store domain: each rank loads its `count` elements from `send` of the root, which has those for each
 * rank one after the other. At the root `recv` may be its own part of `send`; of other ranks `send` is not touched.
 *
 * For a kernel that has barriers before and behind it, and the same grid on every rank.
 */
export function pullScatter({ T, pace }: CopyShape): CopyForm {
  return {
    name: 'pullScatter',
    part: deviceFn(
      { name: 'pullScatter', use: { reduceCopy, shareBegin, T, PACKS: pace.packs } },
      (
        { reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count, root }: DeviceCall,
      ) => {
        const first = shareBegin(T, count, blockIdx.x, gridDim.x);
        const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
        const mine = count * u32(comm.lsaRank) + first;
        const to = recv.localPtr().offset(first);
        reduceCopy.localCopy(coopCta(), send.lsaPtr(root).offset(mine), (_i) => to, 1, end - first, {
          unroll: (PACKS * 16) / sizeOf(T),
        });
      },
    ),
  };
}

import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { lsaKernels, type LsaScratch } from './lsa-kernels.ts';
import type { ScaleOf } from './reductions.ts';
import { shareBegin } from './share-begin.ts';

/**
 * Scatter within one load-store domain: each rank loads its `count` elements from the root's
 * `send`, which holds the elements for all ranks in rank order. At the root `recv` may be its own
 * part of `send`; `send` of other ranks is unused.
 *
 * Requires an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pullScatter(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, pace } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'pullScatter', use: { reduceCopy, shareBegin, T, PACKS: pace.packs } },
      (
        { reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count, root }: DeviceCall,
        _scaleOf: ScaleOf,
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
    shape,
  );
}

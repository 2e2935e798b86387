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
 * Gather within one load-store domain: each rank stores its `count` elements to its slot in the
 * root's `recv`. At the root `send` may be that slot; `recv` of other ranks is unused.
 *
 * Requires an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushGather(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, pace } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'pushGather', use: { reduceCopy, shareBegin, T, PACKS: pace.packs } },
      (
        { reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count, root }: DeviceCall,
        _scaleOf: ScaleOf,
      ) => {
        const first = shareBegin(T, count, blockIdx.x, gridDim.x);
        const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
        const from = send.localPtr().offset(first);
        const mine = count * u32(comm.lsaRank) + first;
        reduceCopy.localCopy(coopCta(), from, (_i) => recv.lsaPtr(root).offset(mine), 1, end - first, {
          unroll: (PACKS * 16) / sizeOf(T),
        });
      },
    ),
    shape,
  );
}

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
 * Broadcast within one load-store domain: each rank loads its share of the elements from the root
 * and stores it to all ranks. So the root sends each element once. At the root `send` may be
 * `recv`.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushBroadcast(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, pace } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'pushBroadcast', use: { reduceCopy, shareBegin, T, PACKS: pace.packs } },
      (
        { reduceCopy, shareBegin, T, PACKS, sizeOf, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count, root }: DeviceCall,
        _scaleOf: ScaleOf,
      ) => {
        const nRanks = u32(comm.lsaSize);
        const part = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
        const first = shareBegin(T, count, part, nRanks * gridDim.x);
        const end = shareBegin(T, count, part + 1, nRanks * gridDim.x);
        const from = send.lsaPtr(root).offset(first);
        reduceCopy.localCopy(coopCta(), from, (i) => recv.lsaPtr(i).offset(first), nRanks, end - first, {
          unroll: (PACKS * 16) / sizeOf(T),
        });
      },
    ),
    shape,
  );
}

import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { lsaKernels, type LsaScratch } from './lsa-kernels.ts';
import type { ScaleOf } from './reductions.ts';
import { shareBegin } from './share-begin.ts';

/**
 * Reduce within one load-store domain: each rank loads its share of the elements from all ranks,
 * reduces it, and stores it to the root's `recv`. This distributes the work. `recv` may be `send`;
 * `recv` of other ranks is unused.
 *
 * Requires an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushReduce(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, reduction } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'pushReduce', use: { shareBegin, reduction, T } },
      (
        { shareBegin, reduction, T, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count, root }: DeviceCall,
        scaleOf: ScaleOf,
      ) => {
        const nRanks = u32(comm.lsaSize);
        const part = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
        const first = shareBegin(T, count, part, nRanks * gridDim.x);
        const end = shareBegin(T, count, part + 1, nRanks * gridDim.x);
        const from = (i: number) => send.lsaPtr(i).offset(first);
        const to = (_i: number) => recv.lsaPtr(root).offset(first);
        reduction(coopCta(), T, from, nRanks, to, 1, end - first, nRanks, scaleOf);
      },
    ),
    shape,
  );
}

import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { lsaKernels, type LsaScratch } from './lsa-kernels.ts';
import type { ScaleOf } from './reductions.ts';
import { shareBegin } from './share-begin.ts';

/**
 * AllReduce within one load-store domain, in one pass: each CTA of each rank loads its share of the
 * elements from all ranks, reduces it, and stores the result to all ranks. One barrier before it
 * makes sure that the sources are ready, and one barrier follows it. Each element is computed once,
 * so all ranks get the same bits. `send` may be `recv`.
 *
 * Requires an LSA barrier for each CTA, and the same grid on every rank.
 */
export function twoShotAllReduce(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, reduction } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'twoShotAllReduce', use: { shareBegin, reduction, T } },
      (
        { shareBegin, reduction, T, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count }: DeviceCall,
        scaleOf: ScaleOf,
      ) => {
        const nRanks = u32(comm.lsaSize);
        const part = u32(comm.lsaRank) * gridDim.x + blockIdx.x;
        const first = shareBegin(T, count, part, nRanks * gridDim.x);
        const end = shareBegin(T, count, part + 1, nRanks * gridDim.x);
        const from = (i: number) => send.lsaPtr(i).offset(first);
        const to = (i: number) => recv.lsaPtr(i).offset(first);
        reduction(coopCta(), T, from, nRanks, to, nRanks, end - first, nRanks, scaleOf);
      },
    ),
    shape,
  );
}

import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { lsaKernels, type LsaScratch } from './lsa-kernels.ts';
import type { ScaleOf } from './reductions.ts';
import { shareBegin } from './share-begin.ts';

/**
 * ReduceScatter within one load-store domain: each rank loads its `count` elements from every
 * rank's `send` and reduces them into its own `recv`. `send` holds the elements for all ranks in
 * rank order. `recv` may be the rank's part of `send`.
 *
 * Requires an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pullReduceScatter(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, reduction } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'pullReduceScatter', use: { shareBegin, reduction, T } },
      (
        { shareBegin, reduction, T, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count }: DeviceCall,
        scaleOf: ScaleOf,
      ) => {
        const nRanks = u32(comm.lsaSize);
        const first = shareBegin(T, count, blockIdx.x, gridDim.x);
        const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
        const mine = count * u32(comm.lsaRank) + first;
        const from = (i: number) => send.lsaPtr(i).offset(mine);
        const to = (_i: number) => recv.localPtr().offset(first);
        reduction(coopCta(), T, from, nRanks, to, 1, end - first, nRanks, scaleOf);
      },
    ),
    shape,
  );
}

import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { lsaKernels, type LsaScratch } from './lsa-kernels.ts';
import type { ScaleOf } from './reductions.ts';
import { shareBegin } from './share-begin.ts';

/**
 * AllReduce within one load-store domain: every rank loads the elements of all ranks and reduces
 * them itself. This takes more loads, but no stores to peers. All ranks reduce in the same order,
 * so all get the same bits. `recv` may not be `send`, because a peer may still read it.
 *
 * Requires an LSA barrier for each CTA, and the same grid on every rank.
 */
export function oneShotAllReduce(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, reduction } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'oneShotAllReduce', use: { shareBegin, reduction, T } },
      (
        { shareBegin, reduction, T, coopCta, blockIdx, gridDim, u32 },
        comm: DevComm,
        { send, recv, count }: DeviceCall,
        scaleOf: ScaleOf,
      ) => {
        const nRanks = u32(comm.lsaSize);
        const first = shareBegin(T, count, blockIdx.x, gridDim.x);
        const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
        const from = (i: number) => send.lsaPtr(i).offset(first);
        const to = (_i: number) => recv.localPtr().offset(first);
        reduction(coopCta(), T, from, nRanks, to, 1, end - first, nRanks, scaleOf);
      },
    ),
    shape,
  );
}

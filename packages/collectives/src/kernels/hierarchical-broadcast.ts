import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * Broadcast over several load-store domains, in chunks. Each rank of the root's domain loads its
 * share of a chunk from the root, and stores it to all of its domain. It also puts it to the ranks
 * with its LSA rank in the other domains, which store it to theirs.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalBroadcast(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalBroadcast', use: { reduceCopy } },
      (
        { reduceCopy, coopCta, threadIdx, blockIdx, blockDim, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at }: HierarchicalSession,
        { send, recv, count, root }: DeviceCall,
        _nth: number,
      ) => {
        const { rail, near, domains, place, domain, most, came } = at;
        const I = typeOf(count);
        const home = root / near;
        const turn = I(near * most);
        for (let begin = I(blockIdx.x) * turn; begin < count; begin += I(gridDim.x) * turn) {
          const first = min(begin + I(place * most), count);
          const n = u32(min(count - first, I(most)));
          const part = came.localPtr();
          if (domain === home) {
            reduceCopy.localCopy(coopCta(), send.lsaPtr(root % near).offset(first), (_i) => part, 1, n);
            coopCta().sync();
            for (let to = threadIdx.x; to < domains; to += blockDim.x) {
              if (to !== domain && n > 0) net.putElements(rail, to, came, came, n);
            }
          }
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          reduceCopy.localCopy(coopCta(), part, (i) => recv.lsaPtr(i).offset(first), near, n);
          net.flush(coopCta());
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
        }
      },
    ),
    shape,
  );
}

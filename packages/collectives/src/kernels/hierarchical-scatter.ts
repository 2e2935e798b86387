import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * Scatter over several load-store domains, in chunks. Each rank of the root's domain loads from the
 * root the elements for the ranks with its LSA rank in all domains, and puts them there.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalScatter(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalScatter', use: { reduceCopy } },
      (
        { reduceCopy, coopCta, threadIdx, blockIdx, blockDim, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at }: HierarchicalSession,
        { send, recv, count, root }: DeviceCall,
        _nth: number,
      ) => {
        const { rail, near, domains, place, domain, most, out, came } = at;
        const I = typeOf(count);
        const home = root / near;
        for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
          const n = u32(min(count - begin, I(most)));
          if (domain === home) {
            for (let to = u32(0); to < domains; to++) {
              const theirs = count * I(to * near + place) + begin;
              const part = to === domain ? came.localPtr() : out.add(to * most).localPtr();
              reduceCopy.localCopy(coopCta(), send.lsaPtr(root % near).offset(theirs), (_i) => part, 1, n);
            }
            coopCta().sync();
            for (let to = threadIdx.x; to < domains; to += blockDim.x) {
              if (to !== domain) net.putElements(rail, to, came, out.add(to * most), n);
            }
          }
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          const part = came.localPtr();
          reduceCopy.localCopy(coopCta(), part, (_i) => recv.localPtr().offset(begin), 1, n);
          net.flush(coopCta());
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
        }
      },
    ),
    shape,
  );
}

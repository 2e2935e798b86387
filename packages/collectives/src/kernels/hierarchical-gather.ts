import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * Gather over several load-store domains, in chunks. Each rank puts its elements to the rank with
 * its LSA rank in the root's domain, which stores those of all domains to the root.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalGather(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalGather', use: { reduceCopy } },
      (
        { reduceCopy, coopCta, threadIdx, blockIdx, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at }: HierarchicalSession,
        { send, recv, count, root }: DeviceCall,
        _nth: number,
      ) => {
        const { rail, near, domains, place, domain, most, came } = at;
        const I = typeOf(count);
        const home = root / near;
        for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
          const n = u32(min(count - begin, I(most)));
          const mine = came.add(domain * most);
          reduceCopy.localCopy(coopCta(), send.localPtr().offset(begin), (_i) => mine.localPtr(), 1, n);
          coopCta().sync();
          if (threadIdx.x === 0 && domain !== home) net.putElements(rail, home, mine, mine, n);
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          if (domain === home) {
            for (let from = u32(0); from < domains; from++) {
              const theirs = count * I(from * near + place) + begin;
              const part = came.add(from * most).localPtr();
              reduceCopy.localCopy(coopCta(), part, (_i) => recv.lsaPtr(root % near).offset(theirs), 1, n);
            }
          }
          net.flush(coopCta());
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
        }
      },
    ),
    shape,
  );
}

import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * AlltoAll over several load-store domains, in chunks. For the elements of a domain's ranks for a
 * rank elsewhere, the domain's rank with the same LSA rank loads them from the others and puts them
 * to their destination.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalAllToAll(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalAllToAll', use: { reduceCopy } },
      (
        { reduceCopy, coopCta, threadIdx, blockIdx, blockDim, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at }: HierarchicalSession,
        { send, recv, count }: DeviceCall,
        _nth: number,
      ) => {
        const { rail, near, domains, place, domain, most, out } = at;
        const I = typeOf(count);
        const world = near * domains;
        for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
          const n = u32(min(count - begin, I(most)));
          for (let to = u32(0); to < domains; to++) {
            for (let from = u32(0); from < near; from++) {
              const theirs = count * I(to * near + place) + begin;
              const there = count * I(domain * near + from) + begin;
              const part =
                to === domain ? recv.localPtr().offset(there) : out.add((to * near + from) * most).localPtr();
              reduceCopy.localCopy(coopCta(), send.lsaPtr(from).offset(theirs), (_i) => part, 1, n);
            }
          }
          coopCta().sync();
          for (let i = threadIdx.x; i < world; i += blockDim.x) {
            const to = i / near;
            const from = i % near;
            const there = count * I(domain * near + from) + begin;
            if (to !== domain) net.putElements(rail, to, recv.add(there), out.add(i * most), n);
          }
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          net.flush(coopCta());
        }
      },
    ),
    shape,
  );
}

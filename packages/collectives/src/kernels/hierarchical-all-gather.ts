import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * AllGather over several load-store domains, in chunks. Each rank puts its elements to the ranks
 * with its LSA rank in the other domains, and stores its own and the received ones to all of its
 * domain.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalAllGather(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalAllGather', use: { reduceCopy } },
      (
        { reduceCopy, coopCta, threadIdx, blockIdx, blockDim, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at }: HierarchicalSession,
        { send, recv, count }: DeviceCall,
        _nth: number,
      ) => {
        const { rail, near, domains, place, domain, most, out, came } = at;
        const I = typeOf(count);
        for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
          const n = u32(min(count - begin, I(most)));
          const mine = out.localPtr();
          reduceCopy.localCopy(coopCta(), send.localPtr().offset(begin), (_i) => mine, 1, n);
          coopCta().sync();
          for (let to = threadIdx.x; to < domains; to += blockDim.x) {
            if (to !== domain) net.putElements(rail, to, came.add(domain * most), out, n);
          }
          const own = count * I(domain * near + place) + begin;
          reduceCopy.localCopy(coopCta(), mine, (i) => recv.lsaPtr(i).offset(own), near, n);
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          for (let from = u32(0); from < domains; from++) {
            const theirs = count * I(from * near + place) + begin;
            if (from !== domain) {
              const part = came.add(from * most).localPtr();
              reduceCopy.localCopy(coopCta(), part, (i) => recv.lsaPtr(i).offset(theirs), near, n);
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

import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * AllReduce over several load-store domains, in chunks. Each rank of a domain reduces its share of
 * a chunk over the domain and puts the result to the ranks with its LSA rank in the other domains.
 * It reduces the results that it receives, and stores the sum to all of its domain. Each rank puts
 * `1 / lsaSize` of the elements to each other domain.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalAllReduce(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  const { T, partial, across } = shape;
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalAllReduce', use: { partial, across, T } },
      (
        { partial, across, T, coopCta, threadIdx, blockIdx, blockDim, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at, scaleOf }: HierarchicalSession,
        call: DeviceCall,
        nth: number,
      ) => {
        const { send, recv, count } = call;
        const { rail, near, domains, place, domain, most, came } = at;
        const I = typeOf(count);
        const scale = scaleOf(call, nth);
        const turn = I(near * most);
        for (let begin = I(blockIdx.x) * turn; begin < count; begin += I(gridDim.x) * turn) {
          const first = min(begin + I(place * most), count);
          const n = u32(min(count - first, I(most)));
          const mine = came.add(domain * most);
          partial(
            coopCta(),
            T,
            (i) => send.lsaPtr(i).offset(first),
            near,
            (_i) => mine.localPtr(),
            1,
            n,
            1,
            scale,
          );
          coopCta().sync();
          for (let to = threadIdx.x; to < domains; to += blockDim.x) {
            if (to !== domain && n > 0) net.putElements(rail, to, mine, mine, n);
          }
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          const from = (i: number) => came.add(u32(i) * most).localPtr();
          across(coopCta(), T, from, domains, (i) => recv.lsaPtr(i).offset(first), near, n, near * domains, scale);
          // No rank puts the next chunk before all have reduced this one.
          net.flush(coopCta());
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
        }
      },
    ),
    shape,
  );
}

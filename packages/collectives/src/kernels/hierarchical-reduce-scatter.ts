import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * ReduceScatter over several load-store domains, in chunks. For each other domain, a rank reduces
 * the elements for the rank with its LSA rank there over its own domain, and puts the result to it.
 * It then reduces the results from all domains.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalReduceScatter(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  const { T, partial, across } = shape;
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalReduceScatter', use: { partial, across, T } },
      (
        { partial, across, T, coopCta, threadIdx, blockIdx, blockDim, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at, scaleOf }: HierarchicalSession,
        call: DeviceCall,
        nth: number,
      ) => {
        const { send, recv, count } = call;
        const { rail, near, domains, place, domain, most, out, came } = at;
        const I = typeOf(count);
        const scale = scaleOf(call, nth);
        for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
          const n = u32(min(count - begin, I(most)));
          for (let to = u32(0); to < domains; to++) {
            const part = count * I(to * near + place) + begin;
            const goes = to === domain ? came.add(domain * most).localPtr() : out.add(to * most).localPtr();
            partial(
              coopCta(),
              T,
              (i) => send.lsaPtr(i).offset(part),
              near,
              (_i) => goes,
              1,
              n,
              1,
              scale,
            );
          }
          coopCta().sync();
          for (let to = threadIdx.x; to < domains; to += blockDim.x) {
            if (to !== domain) net.putElements(rail, to, came.add(domain * most), out.add(to * most), n);
          }
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          const from = (i: number) => came.add(u32(i) * most).localPtr();
          across(coopCta(), T, from, domains, (_i) => recv.localPtr().offset(begin), 1, n, near * domains, scale);
          net.flush(coopCta());
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
        }
      },
    ),
    shape,
  );
}

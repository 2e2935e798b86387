import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import { hierarchicalKernels, type HierarchicalSession, type HierarchicalScratch } from './hierarchical-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * Reduce over several load-store domains, in chunks: like an AllReduce, but the partial results go
 * only to the root's domain, whose ranks store theirs to the root.
 *
 * Requires a hybrid barrier with a rail connection for each CTA. A CTA needs at least as many
 * threads as there are domains.
 */
export function hierarchicalReduce(shape: KernelShape): CollectiveKernels<HierarchicalScratch> {
  const { T, partial, across } = shape;
  return hierarchicalKernels(
    deviceFn(
      { name: 'hierarchicalReduce', use: { partial, across, T } },
      (
        { partial, across, T, coopCta, threadIdx, blockIdx, gridDim, typeOf, min, u32 },
        _comm: DevComm,
        { net, bar, at, scaleOf }: HierarchicalSession,
        call: DeviceCall,
        nth: number,
      ) => {
        const { send, recv, count, root } = call;
        const { rail, near, domains, place, domain, most, came } = at;
        const I = typeOf(count);
        const scale = scaleOf(call, nth);
        const home = root / near;
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
          if (threadIdx.x === 0 && domain !== home && n > 0) net.putElements(rail, home, mine, mine, n);
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
          if (domain === home) {
            const from = (i: number) => came.add(u32(i) * most).localPtr();
            const to = (_i: number) => recv.lsaPtr(root % near).offset(first);
            across(coopCta(), T, from, domains, to, 1, n, near * domains, scale);
          }
          net.flush(coopCta());
          bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
        }
      },
    ),
    shape,
  );
}

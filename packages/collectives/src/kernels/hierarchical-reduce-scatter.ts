import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { HierarchicalReduceKernel, HierarchicalReduceShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';
import { rankScales } from './rank-scales.ts';

/**
 * ReduceScatter over several load-store domains, in chunks. For each domain a rank reduces over its own domain what the rank at its
 * place there is to get, puts it there, and reduces what comes from all domains.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalReduceScatter({
  T,
  A,
  count,
  within,
  across,
  chunkBytes,
  scaled,
}: HierarchicalReduceShape): HierarchicalReduceKernel {
  return kernel(
    {
      name: 'hierarchicalReduceScatter',
      use: { rankScales: rankScales(A, scaled), barrier, gin, railPlace, within, across, CHUNK: chunkBytes, T },
      params: {
        comm: devComm,
        scratch: symPtr(T),
        send: symPtr(T),
        recv: symPtr(T),
        count,
        root: u32,
        scale: A,
        scales: u32,
      },
    },
    (
      {
        rankScales,
        barrier,
        gin,
        railPlace,
        within,
        across,
        CHUNK,
        T,
        coopCta,
        threadIdx,
        blockIdx,
        blockDim,
        gridDim,
        typeOf,
        min,
        u32,
      },
      { comm, scratch, send, recv, count, scale, scales },
    ) => {
      const net = gin.context(comm, 0);
      const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
      const { rail, near, domains, place, domain, most, out, came } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      const scaleOf = rankScales(coopCta(), comm, scales, scale, () => bar.sync(coopCta(), 'acq_rel', 'none'));
      for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
        const n = u32(min(count - begin, I(most)));
        for (let to = u32(0); to < domains; to++) {
          const part = count * I(to * near + place) + begin;
          const partial = to === domain ? came.add(domain * most).localPtr() : out.add(to * most).localPtr();
          within(
            coopCta(),
            T,
            (i) => send.lsaPtr(i).offset(part),
            near,
            (_i) => partial,
            1,
            n,
            1,
            scaleOf,
          );
        }
        coopCta().sync();
        for (let to = threadIdx.x; to < domains; to += blockDim.x) {
          if (to !== domain) net.putElements(rail, to, came.add(domain * most), out.add(to * most), n);
        }
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
        const from = (i: number) => came.add(u32(i) * most).localPtr();
        across(coopCta(), T, from, domains, (_i) => recv.localPtr().offset(begin), 1, n, near * domains, scaleOf);
        net.flush(coopCta());
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
      }
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

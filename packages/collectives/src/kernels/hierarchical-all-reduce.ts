import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { HierarchicalReduceKernel, HierarchicalReduceShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';
import { rankScales } from './rank-scales.ts';

/**
 * AllReduce over several load-store domains, in chunks. The ranks of a domain share a chunk's elements out; each reduces its share over
 * the domain, puts the result to the ranks at its place in the other domains, reduces what comes from them, and stores that to
 * all of its domain. Each rank puts `1 / lsaSize` of the elements to each other domain.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalAllReduce({
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
      name: 'hierarchicalAllReduce',
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
      const { rail, near, domains, place, domain, most, came } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      const scaleOf = rankScales(coopCta(), comm, scales, scale, () => bar.sync(coopCta(), 'acq_rel', 'none'));
      const turn = I(near * most);
      for (let begin = I(blockIdx.x) * turn; begin < count; begin += I(gridDim.x) * turn) {
        const first = min(begin + I(place * most), count);
        const n = u32(min(count - first, I(most)));
        const mine = came.add(domain * most);
        within(
          coopCta(),
          T,
          (i) => send.lsaPtr(i).offset(first),
          near,
          (_i) => mine.localPtr(),
          1,
          n,
          1,
          scaleOf,
        );
        coopCta().sync();
        for (let to = threadIdx.x; to < domains; to += blockDim.x) {
          if (to !== domain && n > 0) net.putElements(rail, to, mine, mine, n);
        }
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
        const from = (i: number) => came.add(u32(i) * most).localPtr();
        across(coopCta(), T, from, domains, (i) => recv.lsaPtr(i).offset(first), near, n, near * domains, scaleOf);
        // Nobody puts the next chunk before all have reduced this one.
        net.flush(coopCta());
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
      }
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

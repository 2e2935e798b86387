import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { HierarchicalReduceKernel, HierarchicalReduceShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';
import { rankScales } from './rank-scales.ts';

/**
 * Reduce over several load-store domains, in chunks: as an AllReduce, but the partial results go to the root's domain alone, and the ranks
 * there store theirs to the root.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalReduce({
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
      name: 'hierarchicalReduce',
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
        gridDim,
        typeOf,
        min,
        u32,
      },
      { comm, scratch, send, recv, count, root, scale, scales },
    ) => {
      const net = gin.context(comm, 0);
      const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
      const { rail, near, domains, place, domain, most, came } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      const scaleOf = rankScales(coopCta(), comm, scales, scale, () => bar.sync(coopCta(), 'acq_rel', 'none'));
      const home = root / near;
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
        if (threadIdx.x === 0 && domain !== home && n > 0) net.putElements(rail, home, mine, mine, n);
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
        if (domain === home) {
          const from = (i: number) => came.add(u32(i) * most).localPtr();
          const to = (_i: number) => recv.lsaPtr(root % near).offset(first);
          across(coopCta(), T, from, domains, to, 1, n, near * domains, scaleOf);
        }
        net.flush(coopCta());
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
      }
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { HierarchicalCopyKernel, HierarchicalCopyShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';

/**
 * AlltoAll over several load-store domains, in chunks: what the ranks of a domain have for a rank elsewhere, the rank at the same place of the
 * own domain loads from them and puts there, where it belongs.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalAllToAll({ T, count, chunkBytes }: HierarchicalCopyShape): HierarchicalCopyKernel {
  return kernel(
    {
      name: 'hierarchicalAllToAll',
      use: { barrier, gin, railPlace, reduceCopy, CHUNK: chunkBytes, T },
      params: { comm: devComm, scratch: symPtr(T), send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    (
      {
        barrier,
        gin,
        railPlace,
        reduceCopy,
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
      { comm, scratch, send, recv, count },
    ) => {
      const net = gin.context(comm, 0);
      const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
      const { rail, near, domains, place, domain, most, out } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      bar.sync(coopCta(), 'acq_rel', 'none');
      const world = near * domains;
      for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
        const n = u32(min(count - begin, I(most)));
        for (let to = u32(0); to < domains; to++) {
          for (let from = u32(0); from < near; from++) {
            const theirs = count * I(to * near + place) + begin;
            const there = count * I(domain * near + from) + begin;
            const part = to === domain ? recv.localPtr().offset(there) : out.add((to * near + from) * most).localPtr();
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
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { HierarchicalCopyKernel, HierarchicalCopyShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';

/**
 * AllGather over several load-store domains, in chunks: each rank puts its elements to the ranks at its place in the other domains, and
 * stores its own and those that came to all of its domain.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalAllGather({ T, count, chunkBytes }: HierarchicalCopyShape): HierarchicalCopyKernel {
  return kernel(
    {
      name: 'hierarchicalAllGather',
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
      const { rail, near, domains, place, domain, most, out, came } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      bar.sync(coopCta(), 'acq_rel', 'none');
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
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { HierarchicalCopyKernel, HierarchicalCopyShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';

/**
 * Broadcast over several load-store domains, in chunks. The ranks of the root's domain share a chunk's elements out; each loads its share
 * from the root, stores it to all of its domain and puts it to the ranks at its place in the other domains, which do
 * the same there.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalBroadcast({ T, count, chunkBytes }: HierarchicalCopyShape): HierarchicalCopyKernel {
  return kernel(
    {
      name: 'hierarchicalBroadcast',
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
      { comm, scratch, send, recv, count, root },
    ) => {
      const net = gin.context(comm, 0);
      const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
      const { rail, near, domains, place, domain, most, came } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      bar.sync(coopCta(), 'acq_rel', 'none');
      const home = root / near;
      const turn = I(near * most);
      for (let begin = I(blockIdx.x) * turn; begin < count; begin += I(gridDim.x) * turn) {
        const first = min(begin + I(place * most), count);
        const n = u32(min(count - first, I(most)));
        const part = came.localPtr();
        if (domain === home) {
          reduceCopy.localCopy(coopCta(), send.lsaPtr(root % near).offset(first), (_i) => part, 1, n);
          coopCta().sync();
          for (let to = threadIdx.x; to < domains; to += blockDim.x) {
            if (to !== domain && n > 0) net.putElements(rail, to, came, came, n);
          }
        }
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
        reduceCopy.localCopy(coopCta(), part, (i) => recv.lsaPtr(i).offset(first), near, n);
        net.flush(coopCta());
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
      }
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

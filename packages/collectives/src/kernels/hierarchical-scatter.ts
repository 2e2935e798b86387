import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { HierarchicalCopyKernel, HierarchicalCopyShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';

/**
 * Scatter over several load-store domains, in chunks: each rank of the root's domain loads from the root what the ranks at its place in all
 * domains are to get, and puts it there.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalScatter({ T, count, chunkBytes }: HierarchicalCopyShape): HierarchicalCopyKernel {
  return kernel(
    {
      name: 'hierarchicalScatter',
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
      const { rail, near, domains, place, domain, most, out, came } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      bar.sync(coopCta(), 'acq_rel', 'none');
      const home = root / near;
      for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
        const n = u32(min(count - begin, I(most)));
        if (domain === home) {
          for (let to = u32(0); to < domains; to++) {
            const theirs = count * I(to * near + place) + begin;
            const part = to === domain ? came.localPtr() : out.add(to * most).localPtr();
            reduceCopy.localCopy(coopCta(), send.lsaPtr(root % near).offset(theirs), (_i) => part, 1, n);
          }
          coopCta().sync();
          for (let to = threadIdx.x; to < domains; to += blockDim.x) {
            if (to !== domain) net.putElements(rail, to, came, out.add(to * most), n);
          }
        }
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
        const part = came.localPtr();
        reduceCopy.localCopy(coopCta(), part, (_i) => recv.localPtr().offset(begin), 1, n);
        net.flush(coopCta());
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
      }
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

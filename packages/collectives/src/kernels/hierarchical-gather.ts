import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { HierarchicalCopyKernel, HierarchicalCopyShape } from './collective-kernel.ts';
import { railPlace } from './rail-place.ts';

/**
 * Gather over several load-store domains, in chunks: each rank puts its elements to the rank at its place in the root's domain, which stores
 * those of all domains to the root.
 *
 * Needs a hybrid barrier for each CTA with a rail connection, and CTAs of as many threads as there are domains.
 */
export function hierarchicalGather({ T, count, chunkBytes }: HierarchicalCopyShape): HierarchicalCopyKernel {
  return kernel(
    {
      name: 'hierarchicalGather',
      use: { barrier, gin, railPlace, reduceCopy, CHUNK: chunkBytes, T },
      params: { comm: devComm, scratch: symPtr(T), send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    (
      { barrier, gin, railPlace, reduceCopy, CHUNK, T, coopCta, threadIdx, blockIdx, gridDim, typeOf, min, u32 },
      { comm, scratch, send, recv, count, root },
    ) => {
      const net = gin.context(comm, 0);
      const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
      const { rail, near, domains, place, domain, most, came } = railPlace(comm, T, scratch, CHUNK);
      const I = typeOf(count);
      bar.sync(coopCta(), 'acq_rel', 'none');
      const home = root / near;
      for (let begin = I(blockIdx.x * most); begin < count; begin += I(gridDim.x * most)) {
        const n = u32(min(count - begin, I(most)));
        const mine = came.add(domain * most);
        reduceCopy.localCopy(coopCta(), send.localPtr().offset(begin), (_i) => mine.localPtr(), 1, n);
        coopCta().sync();
        if (threadIdx.x === 0 && domain !== home) net.putElements(rail, home, mine, mine, n);
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
        if (domain === home) {
          for (let from = u32(0); from < domains; from++) {
            const theirs = count * I(from * near + place) + begin;
            const part = came.add(from * most).localPtr();
            reduceCopy.localCopy(coopCta(), part, (_i) => recv.lsaPtr(root % near).offset(theirs), 1, n);
          }
        }
        net.flush(coopCta());
        bar.ginBarrier().sync(coopCta(), 'acq_rel', 'none');
      }
      bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    },
  );
}

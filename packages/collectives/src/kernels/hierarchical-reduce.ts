import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr, teamRail } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { collectScales, MAX_SCALES, publishScale } from './rank-scales.ts';
import type { HierarchicalReduceKernel, HierarchicalReduceShape } from './collective-kernel.ts';

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
      use: {
        publishScale,
        collectScales,
        SCALED: scaled,
        SCALES: scaled ? MAX_SCALES : 1,
        A,
        barrier,
        gin,
        teamRail,
        within,
        across,
        CHUNK: chunkBytes,
        T,
      },
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
        publishScale,
        collectScales,
        SCALED,
        SCALES,
        A,
        sharedArray,
        barrier,
        gin,
        teamRail,
        within,
        across,
        CHUNK,
        T,
        coopCta,
        threadIdx,
        blockIdx,
        gridDim,
        sizeOf,
        typeOf,
        min,
        u32,
      },
      { comm, scratch, send, recv, count, root, scale, scales },
    ) => {
      const net = gin.context(comm, 0);
      const rail = teamRail(comm);
      const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
      const near = u32(comm.lsaSize);
      const domains = u32(rail.nRanks);
      const place = u32(comm.lsaRank);
      const domain = u32(rail.rank);
      const I = typeOf(count);
      const most = u32(CHUNK / sizeOf(T));
      // The CTA's scratch: a chunk for each rank that is on its way out, then one from each domain.
      const base = blockIdx.x * (near * domains + domains) * most;
      const came = scratch.add(base + near * domains * most);
      const shared = sharedArray(A, SCALES);
      if (SCALED) publishScale(comm, scales, scale);
      bar.sync(coopCta(), 'acq_rel', 'none');
      if (SCALED) collectScales(coopCta(), comm, scales, scale, shared);
      const scaleOf = (source: number) => (SCALED ? shared.load(source) : scale);
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

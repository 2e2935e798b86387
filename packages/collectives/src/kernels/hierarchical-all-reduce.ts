import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr, teamRail } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { collectScales, MAX_SCALES, publishScale } from './rank-scales.ts';
import type { HierarchicalReduceKernel, HierarchicalReduceShape } from './collective-kernel.ts';

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
        blockDim,
        gridDim,
        sizeOf,
        typeOf,
        min,
        u32,
      },
      { comm, scratch, send, recv, count, scale, scales },
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

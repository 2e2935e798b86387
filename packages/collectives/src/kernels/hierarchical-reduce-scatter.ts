import { barrier } from '@nccl-ts/barrier';
import { devComm, symPtr, teamRail } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { collectScales, MAX_SCALES, publishScale } from './rank-scales.ts';
import type { HierarchicalReduceKernel, HierarchicalReduceShape } from './collective-kernel.ts';

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
      const out = scratch.add(base);
      const came = scratch.add(base + near * domains * most);
      const shared = sharedArray(A, SCALES);
      if (SCALED) publishScale(comm, scales, scale);
      bar.sync(coopCta(), 'acq_rel', 'none');
      if (SCALED) collectScales(coopCta(), comm, scales, scale, shared);
      const scaleOf = (source: number) => (SCALED ? shared.load(source) : scale);
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

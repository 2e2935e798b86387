import { barrier } from '@nccl-ts/barrier';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Every rank has a chunk of `count` floats for every rank. It stores chunks to ranks whose memory
 * it can reach, and puts the others through the network. Chunk p of rank r becomes chunk r of rank
 * p.
 *
 * The CTAs divide the remote peers, and all of them share the work for each local peer. Each CTA
 * needs a hybrid barrier, a signal, and at least as many threads as there are domains minus one.
 */
export const allToAllHybrid = kernel(
  {
    name: 'allToAllHybrid',
    use: { barrier, gin, lsa, teamWorld },
    params: { send: window, recv: window, count: u32, comm: devComm },
  },
  (
    { barrier, gin, lsa, teamWorld, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 },
    { send, recv, count, comm },
  ) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    // This must be read before the barrier, which releases it. After it the others may already
    // signal, and their signals would count as old ones.
    const before = net.readSignal(blockIdx.x);

    const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
    bar.sync(coopCta(), 'acq_rel', 'none');

    const firstLocal = comm.rank - comm.lsaRank;
    const endLocal = firstLocal + comm.lsaSize;
    const bytes = count * 4;
    for (let peer = blockIdx.x + threadIdx.x * gridDim.x; peer < comm.nRanks; peer += blockDim.x * gridDim.x) {
      if (peer >= firstLocal && peer < endLocal) continue;
      net.put(world, peer, recv, comm.rank * bytes, send, peer * bytes, bytes, gin.weakSignalInc(blockIdx.x));
    }

    const mine = lsa.localPointer(send, f32, 0);
    for (let local = 0; local < comm.lsaSize; local++) {
      const theirs = lsa.pointer(recv, f32, comm.rank * bytes, local);
      for (let i = threadIdx.x + blockIdx.x * blockDim.x; i < count; i += blockDim.x * gridDim.x) {
        theirs[i] = mine[u32(firstLocal + local) * count + i]!;
      }
    }

    // Only remote peers signal, and all of them signal the same CTA.
    if (comm.rank % gridDim.x === blockIdx.x) {
      net.waitSignal(coopCta(), blockIdx.x, before + (comm.nRanks - comm.lsaSize));
    }
    net.flush(coopCta());
    // No signal covers the stores of local peers, so the ranks of a domain synchronize at the end.
    bar.lsaBarrier().sync(coopCta(), 'acq_rel');
  },
);

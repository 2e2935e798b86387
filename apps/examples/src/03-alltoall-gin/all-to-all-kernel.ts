import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';

/**
 * Every rank has a chunk of `count` floats for every rank, and puts each through the network: chunk
 * p of rank r becomes chunk r of rank p.
 *
 * The CTAs take turns with the peers, each counting with a signal of its own: every rank puts to
 * rank p from its CTA p mod grid, so rank p waits in that CTA. Needs a world GIN barrier and a
 * signal for each CTA, and at least nRanks - 1 threads in each.
 */
export const allToAllGin = kernel(
  { name: 'allToAllGin', use: { gin, teamWorld }, params: { send: window, recv: window, count: u32, comm: devComm } },
  ({ gin, teamWorld, coopCta, threadIdx, blockIdx, blockDim, gridDim }, { send, recv, count, comm }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    // Read before the barrier: past it, the others may signal already, and their signals would
    // count as old ones.
    const before = net.readSignal(blockIdx.x);

    const bar = gin.barrierSession(coopCta(), net, 'world', blockIdx.x);
    bar.sync(coopCta(), 'acquire', 'none');

    const bytes = count * 4;
    for (let peer = blockIdx.x + threadIdx.x * gridDim.x; peer < comm.nRanks; peer += blockDim.x * gridDim.x) {
      net.put(world, peer, recv, comm.rank * bytes, send, peer * bytes, bytes, gin.weakSignalInc(blockIdx.x));
    }

    // Weak signals do: each put carries one, and all of them are waited for.
    if (comm.rank % gridDim.x === blockIdx.x) net.waitSignal(coopCta(), blockIdx.x, before + comm.nRanks);

    // So that the caller may write its chunks anew. No further synchronization is needed, because
    // all data has arrived.
    net.flush(coopCta());
  },
);

import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';

/**
 * Every rank has a chunk of `count` floats for every rank, and puts each through the network. Chunk
 * p of rank r becomes chunk r of rank p.
 *
 * The CTAs divide the peers, and each counts with its own signal. Every rank puts to rank p from
 * its CTA p mod grid, so rank p waits in that CTA. Each CTA needs a world GIN barrier, a signal,
 * and at least nRanks - 1 threads.
 */
export const allToAllGin = kernel(
  { name: 'allToAllGin', use: { gin, teamWorld }, params: { send: window, recv: window, count: u32, comm: devComm } },
  ({ gin, teamWorld, coopCta, threadIdx, blockIdx, blockDim, gridDim }, { send, recv, count, comm }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    // This must be read before the barrier. After it the others may already signal, and their
    // signals would count as old ones.
    const before = net.readSignal(blockIdx.x);

    const bar = gin.barrierSession(coopCta(), net, 'world', blockIdx.x);
    bar.sync(coopCta(), 'acquire', 'none');

    const bytes = count * 4;
    for (let peer = blockIdx.x + threadIdx.x * gridDim.x; peer < comm.nRanks; peer += blockDim.x * gridDim.x) {
      net.put(world, peer, recv, comm.rank * bytes, send, peer * bytes, bytes, gin.weakSignalInc(blockIdx.x));
    }

    // Weak signals are enough, because each put has one, and the kernel waits for all of them.
    if (comm.rank % gridDim.x === blockIdx.x) net.waitSignal(coopCta(), blockIdx.x, before + comm.nRanks);

    // So that the caller may overwrite its chunks. No further synchronization is needed, because
    // all data has arrived.
    net.flush(coopCta());
  },
);

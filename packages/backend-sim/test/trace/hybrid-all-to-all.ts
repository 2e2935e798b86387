import { barrier } from '@nccl-ts/barrier';
import type { Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Block `p` of every rank's `send` goes to rank `p`: by puts to other domains, by stores within the own one meanwhile. */
const hybridAllToAll = kernel(
  {
    name: 'hybridAllToAll',
    use: { barrier, gin, lsa, teamWorld },
    params: { comm: devComm, send: window, recv: window, n: u32 },
  },
  ({ barrier, gin, lsa, teamWorld, coopCta, threadIdx, blockDim, u32, i32 }, { comm, send, recv, n }) => {
    const net = gin.context(comm, 0);
    const bar = barrier.session(coopCta(), net, 'world', 0);
    const before = net.readSignal(0);
    bar.sync(coopCta(), 'acquire', 'none');
    const first = comm.rank - comm.lsaRank;
    for (let peer = i32(threadIdx.x); peer < comm.nRanks; peer += i32(blockDim.x)) {
      if (peer < first || peer >= first + comm.lsaSize) {
        net.put(teamWorld(comm), peer, recv, comm.rank * n * 4, send, peer * n * 4, n * 4, gin.weakSignalInc(0));
      }
    }
    const mine = lsa.localPointer(send, u32, 0);
    for (let near = 0; near < comm.lsaSize; near++) {
      const theirs = lsa.peerPointer(recv, u32, 0, near + first);
      for (let i = threadIdx.x; i < n; i += blockDim.x) {
        theirs.store(u32(comm.rank) * n + i, mine.load(u32(near + first) * n + i));
      }
    }
    bar.lsaBarrier().sync(coopCta(), 'acq_rel');
    net.waitSignal(coopCta(), 0, before + comm.nRanks - comm.lsaSize);
    net.flush(coopCta());
  },
);

/** An all-to-all of `n` u32 for each pair of ranks; answers what this rank received. */
export async function runHybridAllToAll(comm: Communicator, n: number): Promise<Uint32Array> {
  const send = await comm.allocWindow('u32', comm.nRanks * n);
  const recv = await comm.allocWindow('u32', comm.nRanks * n);
  await send.write(Uint32Array.from({ length: comm.nRanks * n }, (_, i) => comm.rank * 2 ** 20 + i));
  const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1, barrierCount: 1 });
  await comm.launch(hybridAllToAll, { grid: 1, block: 256 }, { comm: dev, send, recv, n });
  await comm.synchronize();
  return recv.read();
}

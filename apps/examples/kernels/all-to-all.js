import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
/**
 * Every rank has a chunk of `count` elements for every rank. Chunk p of rank r becomes chunk r of
 * rank p, like the transpose of a matrix that is distributed over the ranks. Ranks only write to
 * each other, and do not read.
 *
 * The kernel needs one LSA barrier for each CTA.
 */
export const allToAll = kernel(
  { name: 'allToAll', use: { lsa }, params: { comm: devComm, send: window, recv: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 }, { comm, send, recv, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'relaxed');
    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const mine = lsa.localPointer(send, f32, 0);
    const first = threadIdx.x + blockDim.x * blockIdx.x;
    for (let step = 0; step < nRanks; step++) {
      // Each begins with another peer, so that not all ranks write to the same rank at once.
      const peer = (rank + step) % nRanks;
      const theirs = lsa.pointer(recv, f32, 0, peer);
      for (let i = first; i < count; i += blockDim.x * gridDim.x) {
        theirs[u32(rank) * count + i] = mine[u32(peer) * count + i];
      }
    }
    bar.sync(coopCta(), 'acq_rel');
  },
);
/** Chunk p of rank r holds 10 r + p, and afterwards 10 p + r. */
export async function host(comm, { grid, block }) {
  const count = 1000;
  const send = await comm.allocWindow(f32, comm.nRanks * count);
  const recv = await comm.allocWindow(f32, comm.nRanks * count);
  await send.write(
    Float32Array.from({ length: comm.nRanks * count }, (_, i) => 10 * comm.rank + Math.floor(i / count)),
  );
  const devComm = await comm.createDevComm({ lsaBarrierCount: grid });
  await comm.launch(allToAll, { grid, block }, { comm: devComm, send, recv, count });
  return recv.read();
}
//# sourceMappingURL=all-to-all.js.map

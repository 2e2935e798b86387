import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
/**
 * An in-place ring AllReduce. The array has as many chunks as there are ranks, and every rank reads
 * only from its left neighbour. For n - 1 steps it adds a chunk of the neighbour to its own. Then
 * each rank has one chunk with the sum of all ranks. For another n - 1 steps the finished chunks
 * travel around the ring.
 *
 * `count` must be divisible by the number of ranks. The kernel needs one LSA barrier for each CTA.
 */
export const ringAllReduce = kernel(
  { name: 'ringAllReduce', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const chunk = count / u32(nRanks);
    const mine = lsa.localPointer(win, f32, 0);
    const left = lsa.pointer(win, f32, 0, (rank + nRanks - 1) % nRanks);
    const first = threadIdx.x + blockDim.x * blockIdx.x;
    const stride = blockDim.x * gridDim.x;
    for (let step = 1; step < nRanks; step++) {
      const base = u32((rank + nRanks - step) % nRanks) * chunk;
      for (let i = base + first; i < base + chunk; i += stride) mine[i] += left[i];
      bar.sync(coopCta(), 'acq_rel');
    }
    for (let step = 0; step < nRanks - 1; step++) {
      const base = u32((rank + nRanks - step) % nRanks) * chunk;
      for (let i = base + first; i < base + chunk; i += stride) mine[i] = left[i];
      bar.sync(coopCta(), 'acq_rel');
    }
  },
);
/** Element i of rank r is r * i. Afterwards every rank has i times the sum of all ranks. */
export async function host(comm, { grid, block }) {
  const count = 1024 * comm.nRanks;
  const win = await comm.allocWindow(f32, count);
  await win.write(Float32Array.from({ length: count }, (_, i) => comm.rank * i));
  const devComm = await comm.createDevComm({ lsaBarrierCount: grid });
  await comm.launch(ringAllReduce, { grid, block }, { comm: devComm, win, count });
  return win.read();
}
//# sourceMappingURL=ring-all-reduce.js.map

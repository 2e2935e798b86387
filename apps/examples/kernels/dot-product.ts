import type { Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * The dot product of two vectors that are spread over the ranks, `count` elements on each. Every thread multiplies its
 * share; the sums then go from lane to lane within the warps, through shared memory within the CTA, and through the
 * peers' memory to all ranks: `out[nRanks]` is the result, below it are the ranks' parts.
 *
 * For one CTA of whole warps, with one LSA barrier.
 */
export const dotProduct = kernel(
  { name: 'dotProduct', use: { lsa }, params: { comm: devComm, x: window, y: window, out: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockDim, warpSize, laneId, shflDown, sharedArray, f32 }, { comm, x, y, out, count }) => {
    const a = lsa.localPointer(x, f32, 0);
    const b = lsa.localPointer(y, f32, 0);
    let sum = f32(0);
    for (let i = threadIdx.x; i < count; i += blockDim.x) sum += a[i]! * b[i]!;

    for (let lanes = warpSize / 2; lanes > 0; lanes /= 2) sum += shflDown(sum, lanes);
    const warpSums = sharedArray(f32, 32);
    if (laneId === 0) warpSums[threadIdx.x / warpSize] = sum;
    coopCta().sync();

    const bar = lsa.barrierSession(coopCta(), comm, 0);
    if (threadIdx.x === 0) {
      let part = f32(0);
      for (let warp = 0; warp < blockDim.x / warpSize; warp++) part += warpSums[warp]!;
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(out, f32, 0, peer)[comm.lsaRank] = part;
    }
    bar.sync(coopCta(), 'acq_rel');

    if (threadIdx.x === 0) {
      const parts = lsa.localPointer(out, f32, 0);
      let total = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) total += parts[peer]!;
      parts[comm.lsaSize] = total;
    }
  },
);

/** The vectors count 0, 1, 2, ... and 1, 1, 1, ... over all ranks, so the result is the sum of the first numbers. */
export async function host(comm: Communicator, { block }: { block: number }): Promise<number> {
  const count = 100;
  const x = await comm.allocWindow(f32, count);
  const y = await comm.allocWindow(f32, count);
  const out = await comm.allocWindow(f32, comm.nRanks + 1);
  await x.write(Float32Array.from({ length: count }, (_, i) => comm.rank * count + i));
  await y.write(new Float32Array(count).fill(1));
  const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(dotProduct, { grid: 1, block }, { comm: devComm, x, y, out, count });
  const results = await out.read();
  return results[comm.nRanks] ?? Number.NaN;
}

import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
/**
 * Computes dot products of pairs of vectors that are distributed over the ranks, with `count`
 * elements on each. Every CTA has its own pair, and every thread multiplies its share. The sums are
 * combined from lane to lane within the warps, through shared memory within the CTA, and through
 * the peers' memory across ranks. A CTA has `nRanks + 1` words in `out`: the parts of the ranks,
 * and then the result.
 *
 * CTAs must have whole warps. Each needs an LSA barrier.
 */
export const dotProduct = kernel(
  { name: 'dotProduct', use: { lsa }, params: { comm: devComm, x: window, y: window, out: window, count: u32 } },
  (
    { lsa, coopCta, threadIdx, blockIdx, blockDim, warpSize, laneId, shflDown, sharedArray, f32, u32 },
    { comm, x, y, out, count },
  ) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    // A peer may still read the parts of an earlier launch.
    bar.sync(coopCta(), 'acquire');
    const pair = 4 * blockIdx.x * count;
    const words = 4 * blockIdx.x * (u32(comm.lsaSize) + 1);
    const a = lsa.localPointer(x, f32, pair);
    const b = lsa.localPointer(y, f32, pair);
    let sum = f32(0);
    for (let i = threadIdx.x; i < count; i += blockDim.x) sum += a[i] * b[i];
    for (let lanes = warpSize / 2; lanes > 0; lanes /= 2) sum += shflDown(sum, lanes);
    const warpSums = sharedArray(f32, 32);
    if (laneId === 0) warpSums[threadIdx.x / warpSize] = sum;
    coopCta().sync();
    if (threadIdx.x === 0) {
      let part = f32(0);
      for (let warp = 0; warp < blockDim.x / warpSize; warp++) part += warpSums[warp];
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(out, f32, words, peer)[comm.lsaRank] = part;
    }
    bar.sync(coopCta(), 'acq_rel');
    if (threadIdx.x === 0) {
      const parts = lsa.localPointer(out, f32, words);
      let total = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) total += parts[peer];
      parts[comm.lsaSize] = total;
    }
  },
);
/**
 * Over all ranks, the vectors of each pair are 0, 1, 2, ... and b, b, b, ..., where b is 1 in the
 * first pair and 2 in the second. So the results are multiples of the sum of the first numbers.
 */
export async function host(comm, { grid, block }) {
  const count = 100;
  const x = await comm.allocWindow(f32, grid * count);
  const y = await comm.allocWindow(f32, grid * count);
  const out = await comm.allocWindow(f32, grid * (comm.nRanks + 1));
  await x.write(Float32Array.from({ length: grid * count }, (_, i) => comm.rank * count + (i % count)));
  await y.write(Float32Array.from({ length: grid * count }, (_, i) => 1 + Math.floor(i / count)));
  const devComm = await comm.createDevComm({ lsaBarrierCount: grid });
  await comm.launch(dotProduct, { grid, block }, { comm: devComm, x, y, out, count });
  const words = await out.read();
  return [...words].filter((_, i) => i % (comm.nRanks + 1) === comm.nRanks);
}
//# sourceMappingURL=dot-product.js.map

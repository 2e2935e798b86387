import { devCommParam, kernel, lsa, u32, windowParam } from 'nccl-ts';

/**
 * An AllReduce in place: every thread sums its elements over all ranks, and stores each sum to
 * every rank.
 */
export const inPlaceAllReduce = kernel(
  { name: 'inPlaceAllReduce', use: { lsa }, params: { comm: devCommParam, win: windowParam, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire'); // no rank reads what another has not written yet

    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * comm.lsaSize);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * comm.lsaSize) {
      let sum = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) sum += lsa.pointer(win, f32, 0, peer).load(i);
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(win, f32, 0, peer).store(i, sum);
    }
    bar.sync(coopCta(), 'release'); // no rank continues before every sum is complete
  },
);

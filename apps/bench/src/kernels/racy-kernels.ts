import { devComm, symPtr, window } from '@nccl-ts/devcomm';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

const BINS = 16;

/**
 * The AllReduce of `allReduceKernel`, but its last barrier does not release, so a later reader may
 * see old values.
 */
export const racyAllReduceKernel = kernel(
  {
    name: 'racyAllReduce',
    use: { lsa },
    params: { comm: devComm, win: window, offset: u64, count: u32 },
  },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, offset, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const globalTid = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
    const globalNthreads = blockDim.x * gridDim.x * nRanks;

    for (let o = globalTid; o < count; o += globalNthreads) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, offset, peer)[o]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, offset, peer)[o] = v;
    }
    bar.sync(coopCta(), 'relaxed');
  },
);

/** A histogram whose threads add to bins in a window, with no atomics and no sync. */
export const windowHistogramKernel = kernel(
  { name: 'windowHistogram', use: { BINS }, params: { values: symPtr(u32), bins: symPtr(u32), count: u32 } },
  ({ BINS, threadIdx, blockDim }, { values, bins, count }) => {
    for (let i = threadIdx.x; i < count; i += blockDim.x) {
      const bin = values.localPtr()[i]! % BINS;
      bins.localPtr()[bin] = bins.localPtr()[bin]! + 1;
    }
  },
);

/** The same with bins in the CTA's shared memory. */
export const sharedHistogramKernel = kernel(
  { name: 'sharedHistogram', use: { BINS }, params: { values: symPtr(u32), bins: symPtr(u32), count: u32 } },
  ({ BINS, threadIdx, blockDim, coopCta, sharedArray, u32 }, { values, bins, count }) => {
    const own = sharedArray(u32, BINS);
    for (let bin = threadIdx.x; bin < BINS; bin += blockDim.x) own[bin] = 0;
    coopCta().sync();
    for (let i = threadIdx.x; i < count; i += blockDim.x) {
      const bin = values.localPtr()[i]! % BINS;
      own[bin] = own[bin]! + 1;
    }
    coopCta().sync();
    for (let bin = threadIdx.x; bin < BINS; bin += blockDim.x) bins.localPtr()[bin] = own[bin]!;
  },
);

/**
 * The first with ordered stores and plain loads, so that every store races with loads separately.
 */
export const storedHistogramKernel = kernel(
  { name: 'storedHistogram', use: { BINS }, params: { values: symPtr(u32), bins: symPtr(u32), count: u32 } },
  ({ BINS, threadIdx, blockDim }, { values, bins, count }) => {
    for (let i = threadIdx.x; i < count; i += blockDim.x) {
      const bin = values.localPtr()[i]! % BINS;
      bins.localPtr().store(bin, bins.localPtr()[bin]! + 1, 'relaxed', 'device');
    }
  },
);

import { devComm, window } from '@nccl-ts/devcomm';
import { addr, kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Sums over all ranks: each element is taken by one thread of one rank, between two barriers. */
export const allReduce = kernel(
  { name: 'allReduce', use: { lsa }, params: { comm: devComm, win: window, offset: addr, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, offset, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const rank = comm.lsaRank;
    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
    const stride = blockDim.x * gridDim.x * nRanks;
    for (let o = first; o < count; o += stride) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, offset, peer).load(o);
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, offset, peer).store(o, v);
    }
    bar.sync(coopCta(), 'release');
  },
);

/**
 * Every rank writes its own bytes in the first rank's window. Of each word, every rank has some
 * bytes.
 */
export const interleave = kernel(
  { name: 'interleave', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, u8, u32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    const bytes = lsa.pointer(win, u8, 0, 0);
    const first = threadIdx.x + blockIdx.x * blockDim.x;
    for (let i = first; i < count; i += blockDim.x * gridDim.x) {
      const at = i * u32(comm.lsaSize) + u32(comm.lsaRank);
      bytes.store(at, u8((at * 7 + 3) & 0xff));
    }
    bar.sync(coopCta(), 'acq_rel');
    // The words that the others wrote.
    const words = lsa.pointer(win, u32, 0, 0);
    const sums = lsa.localPointer(win, u32, 0);
    let sum = u32(0);
    for (let i = first; i < (count * u32(comm.lsaSize)) / 4; i += blockDim.x * gridDim.x) sum += words.load(i);
    bar.sync(coopCta(), 'acq_rel');
    sums.store((count * u32(comm.lsaSize)) / 4 + first, sum);
  },
);

/** Waits for the host's word, answers it in every rank's window, and waits for the next one. */
export const answer = kernel(
  { name: 'answer', use: { lsa }, params: { comm: devComm, win: window, rounds: u32 } },
  ({ lsa, waitUntil, coopCta, threadIdx, u32 }, { comm, win, rounds }) => {
    const mine = lsa.localPointer(win, u32, 0);
    for (let round = u32(1); round <= rounds; round++) {
      waitUntil(() => mine.load(0, 'acquire') >= round);
      const asked = mine.load(1);
      coopCta().sync();
      if (threadIdx.x < u32(comm.lsaSize)) {
        lsa.pointer(win, u32, 0, threadIdx.x).store(8 + u32(comm.lsaRank), asked * 10 + u32(comm.lsaRank), 'release');
      }
      coopCta().sync();
    }
  },
);

/** A barrier that a rank calls `rounds` times. It divides by zero on the chosen rank. */
export const meets = kernel(
  { name: 'meets', use: { lsa }, params: { comm: devComm, win: window, rounds: u32, divisor: u32 } },
  ({ lsa, coopCta, threadIdx, print, u32 }, { comm, win, rounds, divisor }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    for (let round = u32(0); round < rounds; round++) bar.sync(coopCta(), 'acq_rel');
    const mine = lsa.localPointer(win, u32, 0);
    if (threadIdx.x === 0) {
      mine.store(0, 100 / divisor);
      print('rank', comm.rank, 'has met', rounds);
    }
  },
);

/** Waits for a time that only comes when nothing else can run. */
export const sleeps = kernel(
  { name: 'sleeps', use: { lsa }, params: { win: window, cycles: u64 } },
  ({ lsa, waitUntil, clock, threadIdx, u32 }, { win, cycles }) => {
    const begun = clock();
    waitUntil(() => clock() - begun >= cycles);
    lsa.localPointer(win, u32, 0).store(threadIdx.x, threadIdx.x + 1);
  },
);

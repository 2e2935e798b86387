import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** The kernel in NCCL's documentation. */
export const inPlaceAllReduce = kernel(
  {
    name: 'inPlaceAllReduce',
    use: { lsa },
    params: { comm: devComm, win: window, offset: u64, count: u32 },
  },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, offset, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const rank = comm.lsaRank,
      nRanks = comm.lsaSize;
    const globalTid = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
    const globalNthreads = blockDim.x * gridDim.x * nRanks;

    for (let o = globalTid; o < count; o += globalNthreads) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, offset, peer)[o]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, offset, peer)[o] = v;
    }
    bar.sync(coopCta(), 'release');
  },
);

/** Sessions that end early, with options, in separate blocks. */
export const sessions = kernel(
  { name: 'sessions', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, u32 }, { comm, win, count }) => {
    const cta = coopCta();
    const mine = lsa.localPointer(win, u32, 0);
    {
      const first = lsa.barrierSession(cta, comm, blockIdx.x, { handle: comm.lsaBarrier });
      if (threadIdx.x < count) mine[threadIdx.x] = u32(comm.rank) * 100 + threadIdx.x;
      first.arrive(cta, 'release');
      first.wait(cta, 'acquire');
    }
    for (let round = 0; round < 2; round++) {
      const bar = lsa.barrierSession(cta, comm, blockIdx.x);
      bar.sync(cta, 'acq_rel');
      if (count === 1) break;
      if (count === 2) continue;
      const peer = (comm.lsaRank + 1) % comm.lsaSize;
      const value = lsa.pointer(win, u32, 0, peer)[threadIdx.x]!;
      if (threadIdx.x < count) mine[64 * (round + 1) + threadIdx.x] = value;
      bar.sync(cta, 'acq_rel');
    }
  },
);

/** Waits with a condition, and spin loops as authors write them. */
export const waiting = kernel(
  { name: 'waiting', use: { lsa, f32 }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, waitUntil, fence, u32 }, { comm, win, count }) => {
    const peer = (comm.lsaRank + 1) % comm.lsaSize;
    const theirs = lsa.pointer(win, u32, 0, peer);
    const mine = lsa.localPointer(win, u32, 0);
    if (threadIdx.x < count) theirs[100 + threadIdx.x] = u32(comm.rank) + threadIdx.x;
    fence('release', 'system');
    coopCta().sync();
    if (threadIdx.x === 0) theirs.store(0, 1, 'release');
    waitUntil(() => mine.load(0, 'acquire') === 1);
    if (threadIdx.x === 0) theirs.store(1, 1, 'release');
    while (mine.load(1, 'acquire') !== 1);
    if (threadIdx.x === 0) theirs.store(2, 2, 'release');
    let seen: number;
    do {
      seen = mine.load(2, 'acquire');
    } while (seen < 2);
    while (true) {
      const flag = mine.load(1, 'acquire');
      if (flag !== 1) continue;
      if (mine.load(2, 'relaxed') === 2) break;
    }
    coopCta().sync();
    if (threadIdx.x < count) mine[200 + threadIdx.x] = mine[100 + threadIdx.x]! + seen;
  },
);

/** Statements for debugging: output, assertions, and the clock. */
export const diagnosed = kernel(
  { name: 'diagnosed', use: { lsa }, params: { win: window, count: u32 } },
  ({ lsa, threadIdx, blockIdx, clock, assert, requires, print, sizeOf, typeOf, u32 }, { win, count }) => {
    const start = clock();
    const out = lsa.localPointer(win, u32, 0);
    assert(count <= 64, 'count is at most 64');
    assert(count, 'count is not 0');
    requires(count + sizeOf(typeOf(count)) !== 67, 'count is not 63');
    if (threadIdx.x === 0 && blockIdx.x === 0) print('count =', count, 'twice', count * 2, 1.5, true);
    const spent = clock() - start;
    if (threadIdx.x < count) out[threadIdx.x] = spent >= 0 ? 1 : 0;
  },
);

import { devComm, window } from '@nccl-ts/devcomm';
import { addr, f32, i32, kernel, u32, vec } from '@nccl-ts/kernel';
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

/** A barrier in a loop whose number of rounds depends on memory. */
export const barrierLoop = kernel(
  { name: 'barrierLoop', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const mine = lsa.localPointer(win, u32, 0);
    const next = lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    let sum = u32(0);
    let going = coopCta().any(next.load(0) !== 0);
    while (going) {
      sum += next.load(threadIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      if (threadIdx.x === 0) mine.store(0, mine.load(0) - 1);
      bar.sync(coopCta(), 'acq_rel');
      going = coopCta().any(next.load(0) !== 0);
    }
    // In another place, because a neighbour may still be about to check if word 0 is 0.
    mine.store(64 + threadIdx.x, sum);
  },
);

/** Vectors, and floats that WGSL lacks. */
export const halves = kernel(
  { name: 'halves', use: { lsa }, params: { win: window, by: f32 } },
  ({ lsa, threadIdx, vec, f16, f32, lane, withLane }, { win, by }) => {
    const eight = lsa.localPointer(win, vec(f16, 8), 0);
    const v = eight.load(threadIdx.x);
    eight.store(threadIdx.x, v * f16(by) + v);
    const four = lsa.localPointer(win, vec(f32, 4), 4096);
    const w = four.load(threadIdx.x);
    four.store(threadIdx.x, withLane(w, 1, lane(w, 3) + f32(lane(v, threadIdx.x % 8))));
  },
);

/**
 * An AllReduce written for speed: 16 bytes at a time, four pending loads, and a branch for each
 * peer.
 */
export const vectorAllReduce = kernel(
  { name: 'vectorAllReduce', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, vec, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * nRanks) {
      let v = vec(f32, 4)(0);
      for (let peer = 0; peer < nRanks; peer++) {
        const there = lsa.pointer(win, vec(f32, 4), 0, peer);
        if (peer === comm.lsaRank) v += there.load(i);
        else v = v + there.load(i);
      }
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, vec(f32, 4), 0, peer).store(i, v);
    }
    bar.sync(coopCta(), 'release');
  },
);

/** Atomic operations: those that WGSL has, and those that it lacks. */
export const atomics = kernel(
  { name: 'atomics', use: { lsa }, params: { win: window } },
  ({ lsa, threadIdx, sharedArray, coopCta, u8, u32, i32, u64, f32 }, { win }) => {
    const votes = sharedArray(u32, 4);
    lsa.localPointer(win, u32, 0).atomicAdd(0, threadIdx.x, 'relaxed');
    lsa.localPointer(win, i32, 0).atomicMin(1, i32(threadIdx.x), 'relaxed');
    lsa.localPointer(win, f32, 0).atomicAdd(2, f32(threadIdx.x), 'relaxed');
    lsa.localPointer(win, u64, 16).atomicMax(0, u64(threadIdx.x), 'relaxed');
    const before = lsa.localPointer(win, u32, 0).atomicCas(8, 0, threadIdx.x, 'acq_rel');
    votes.atomicOr(threadIdx.x % 4, u32(1) << (before % 32), 'relaxed');
    coopCta().sync();
    // A byte of a word that other threads change.
    lsa.localPointer(win, u8, 64).store(threadIdx.x, u8(votes.load(threadIdx.x % 4)));
  },
);

/** Shared memory, and CTAs that synchronize in a loop. */
export const blockSum = kernel(
  { name: 'blockSum', use: { lsa }, params: { win: window } },
  ({ lsa, sharedArray, coopCta, threadIdx, blockDim, blockIdx, f32 }, { win }) => {
    const sums = sharedArray(f32, 1024);
    const at = lsa.localPointer(win, f32, 0);
    sums[threadIdx.x] = at.load(blockIdx.x * blockDim.x + threadIdx.x);
    for (let half = blockDim.x / 2; half > 0; half /= 2) {
      coopCta().sync();
      if (threadIdx.x < half) sums[threadIdx.x]! += sums[threadIdx.x + half]!;
    }
    coopCta().sync();
    if (threadIdx.x === 0) at.store(blockIdx.x * blockDim.x, sums[0]!);
  },
);

/** Lanes of a warp that exchange values. */
export const warpSum = kernel(
  { name: 'warpSum', use: { lsa }, params: { win: window } },
  ({ lsa, threadIdx, shfl, shflDown, coopCta, i32 }, { win }) => {
    const at = lsa.localPointer(win, i32, 0);
    let v = at.load(threadIdx.x);
    for (let distance = 16; distance > 0; distance /= 2) v += shflDown(v, distance);
    const all = shfl(v, 0);
    at.store(threadIdx.x, coopCta().any(all > 100) ? all : -all);
  },
);

/** Everything that is printed. */
export const prints = kernel(
  { name: 'prints', params: { n: i32, v: vec(f32, 2) } },
  ({ print, assert, threadIdx, blockIdx }, { n, v }) => {
    if (threadIdx.x === 1) print('block', blockIdx.x, 'n is', n, n > 3, v);
    assert(n < 100, 'n is "small"');
    print();
  },
);

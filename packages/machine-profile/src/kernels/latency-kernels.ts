import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 as U32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { MicroKernel } from './micro-kernel.ts';

/*
 * Kernels whose time grows by one latency for each turn of a loop. A benchmark launches each with
 * two numbers of turns, and the launch cancels out in the difference.
 */

/** Parameters of every kernel of the micro-benchmarks. */
const params = { comm: devComm, win: window, iters: U32, words: U32 } as const;

/**
 * Two threads of two ranks alternate. Each waits for the other's word and stores its own. The first
 * flag is `base + 1`.
 */
export const flagTrip: MicroKernel<'iters' | 'words' | 'base'> = kernel(
  { name: 'flagTrip', use: { lsa }, params: { ...params, base: U32 } },
  ({ lsa, threadIdx, u32, waitUntil }, { comm, win, iters, base }) => {
    const rank = comm.lsaRank;
    if (threadIdx.x === 0 && rank < 2) {
      const mine = lsa.pointer(win, u32, 0, rank);
      const theirs = lsa.pointer(win, u32, 0, 1 - rank);
      for (let i = u32(1); i <= iters; i++) {
        if (rank === 0) theirs.store(0, base + i, 'relaxed', 'system');
        waitUntil(() => mine.load(0, 'relaxed', 'system') === base + i);
        if (rank === 1) theirs.store(0, base + i, 'relaxed', 'system');
      }
    }
  },
);

/**
 * The same, but all threads store a line to the peer before each flag, which releases the lines.
 */
export const releaseTrip: MicroKernel<'iters' | 'words' | 'base'> = kernel(
  { name: 'releaseTrip', use: { lsa }, params: { ...params, base: U32 } },
  ({ lsa, coopCta, threadIdx, u32, vec, waitUntil }, { comm, win, iters, base }) => {
    const rank = comm.lsaRank;
    if (rank < 2) {
      const mine = lsa.pointer(win, u32, 0, rank);
      const theirs = lsa.pointer(win, u32, 0, 1 - rank);
      const data = lsa.pointer(win, vec(u32, 4), 4096, 1 - rank);
      for (let i = u32(1); i <= iters; i++) {
        if (rank === 1 && threadIdx.x === 0) waitUntil(() => mine.load(0, 'acquire', 'system') === base + i);
        coopCta().sync();
        data.store(threadIdx.x, vec(u32, 4)(i, i, i, i));
        coopCta().sync();
        if (threadIdx.x === 0) {
          theirs.store(0, base + i, 'release', 'system');
          if (rank === 0) waitUntil(() => mine.load(0, 'acquire', 'system') === base + i);
        }
      }
    }
  },
);

/** One thread follows indices through memory of rank `peer`, and stores the last index. */
export const loadChain: MicroKernel<'iters' | 'words' | 'peer' | 'first'> = kernel(
  { name: 'loadChain', use: { lsa }, params: { ...params, peer: U32, first: U32 } },
  ({ lsa, threadIdx, u32 }, { comm, win, iters, peer, first }) => {
    const rank = comm.lsaRank;
    if (threadIdx.x === 0 && rank === 0) {
      const at = lsa.pointer(win, u32, 0, peer);
      let index = first;
      for (let i = u32(0); i < iters; i++) index = at.load(index, 'relaxed', 'system');
      lsa.pointer(win, u32, 0, rank).store(1, index);
    }
  },
);

/** One thread repeatedly adds the previous result to a word of rank `peer`. */
export const atomicChain: MicroKernel<'iters' | 'words' | 'peer'> = kernel(
  { name: 'atomicChain', use: { lsa }, params: { ...params, peer: U32 } },
  ({ lsa, threadIdx, u32 }, { comm, win, iters, peer }) => {
    if (threadIdx.x === 0 && comm.lsaRank === 0) {
      const at = lsa.pointer(win, u32, 0, peer);
      let value = u32(1);
      for (let i = u32(0); i < iters; i++) value = at.atomicAdd(2, value, 'relaxed', 'system') & 1;
      lsa.pointer(win, u32, 0, comm.lsaRank).store(1, value);
    }
  },
);

/** The threads of a CTA synchronize. */
export const ctaSync: MicroKernel<'iters' | 'words'> = kernel(
  { name: 'ctaSync', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win, iters }) => {
    for (let i = u32(0); i < iters; i++) coopCta().sync();
    if (threadIdx.x === 0) lsa.pointer(win, u32, 0, comm.lsaRank).store(1, iters);
  },
);

/** One thread fences, with nothing to wait for. */
export const fenceChain: MicroKernel<'iters' | 'words'> = kernel(
  { name: 'fenceChain', use: { lsa }, params },
  ({ lsa, fence, threadIdx, u32 }, { comm, win, iters }) => {
    if (threadIdx.x === 0) {
      for (let i = u32(0); i < iters; i++) fence('acq_rel', 'system');
      lsa.pointer(win, u32, 0, comm.lsaRank).store(1, iters);
    }
  },
);

/**
 * Each CTA of a rank signals to that of every other rank that its launch runs, and waits for all of
 * theirs: one thread for each peer.
 */
export const launchFlags: MicroKernel<'iters' | 'words' | 'base'> = kernel(
  { name: 'launchFlags', use: { lsa }, params: { ...params, base: U32 } },
  ({ lsa, blockIdx, coopCta, threadIdx, u32, waitUntil }, { comm, win, iters, base }) => {
    const rank = comm.lsaRank;
    const mine = lsa.pointer(win, u32, 0, rank);
    const turns = 4096 + 8 * blockIdx.x;
    const flags = 6400 + 32 * blockIdx.x;
    // The kernel counts the launches, because the host does not know how often a graph is
    // launched.
    const turn = mine.load(turns, 'relaxed', 'system') + base;
    coopCta().sync();
    if (threadIdx.x + 1 < comm.lsaSize) {
      const peer = (rank + 1 + threadIdx.x) % comm.lsaSize;
      lsa.pointer(win, u32, 0, peer).store(flags + rank, turn, 'relaxed', 'system');
      waitUntil(() => mine.load(flags + peer, 'relaxed', 'system') >= turn);
    }
    if (threadIdx.x === 0) {
      mine.store(turns, turn, 'relaxed', 'system');
      if (iters > 1) mine.store(1, iters);
    }
  },
);

/** Every thread stores 16 bytes to the rank `distance` further on. No thread waits for them. */
export const launchStore: MicroKernel<'iters' | 'words' | 'distance'> = kernel(
  { name: 'launchStore', use: { lsa }, params: { ...params, distance: U32 } },
  ({ lsa, blockDim, blockIdx, threadIdx, u32, vec }, { comm, win, iters, words, distance }) => {
    const at = threadIdx.x + blockIdx.x * blockDim.x;
    const to = lsa.pointer(win, vec(u32, 4), 65536, (comm.lsaRank + distance) % comm.lsaSize);
    if (at * 4 < words) to.store(at, vec(u32, 4)(iters, at, iters, at));
  },
);

/**
 * Every thread sends 16 bytes to the next rank and waits for those of the previous one: a flag's
 * trip of more words. All four parts of a word are the turn.
 */
export const wordTrip: MicroKernel<'iters' | 'words' | 'first'> = kernel(
  { name: 'wordTrip', use: { lsa }, params: { ...params, first: U32 } },
  ({ lsa, blockDim, blockIdx, gridDim, lane, threadIdx, u32, vec, waitUntil }, { comm, win, iters, words, first }) => {
    const rank = comm.lsaRank;
    const V = vec(u32, 4);
    const places = blockDim.x * gridDim.x;
    const at = threadIdx.x + blockIdx.x * blockDim.x;
    if (places * 8 <= words) {
      const mine = lsa.pointer(win, V, 65536, rank);
      const theirs = lsa.pointer(win, V, 65536, (rank + 1) % comm.lsaSize);
      for (let i = u32(0); i < iters; i++) {
        const turn = first + i;
        // Two banks: a rank is at most one turn ahead of the next one.
        const place = at + places * (i % 2);
        theirs.store(place, V(turn, turn, turn, turn), 'relaxed', 'system');
        waitUntil(() => {
          const word = mine.load(place, 'relaxed', 'system');
          return lane(word, 0) === turn && lane(word, 1) === turn && lane(word, 2) === turn && lane(word, 3) === turn;
        });
      }
    }
  },
);

/** Sets all words of the rank to 0, and waits until all ranks have done so. One CTA. */
export const clearWords: MicroKernel<'iters' | 'words' | 'count'> = kernel(
  { name: 'clearWords', use: { lsa }, params: { ...params, count: U32 } },
  ({ lsa, blockDim, coopCta, threadIdx, u32, vec, waitUntil }, { comm, win, count }) => {
    const rank = comm.lsaRank;
    const V = vec(u32, 4);
    const mine = lsa.pointer(win, V, 65536, rank);
    for (let at = threadIdx.x; at < count; at += blockDim.x) mine.store(at, V(0, 0, 0, 0));
    coopCta().sync();
    if (threadIdx.x === 0) {
      const words = lsa.pointer(win, u32, 0, rank);
      const turn = words.load(80, 'relaxed', 'system') + 1;
      words.store(80, turn, 'relaxed', 'system');
      for (let step = u32(1); step < comm.lsaSize; step++) {
        const peer = (rank + step) % comm.lsaSize;
        lsa.pointer(win, u32, 0, peer).store(96 + 32 * rank, turn, 'release', 'system');
      }
      for (let step = u32(1); step < comm.lsaSize; step++) {
        const peer = (rank + step) % comm.lsaSize;
        waitUntil(() => words.load(96 + 32 * peer, 'acquire', 'system') >= turn);
      }
    }
  },
);

/** The threads of a CTA fence together, with nothing to wait for. */
export const ctaFence: MicroKernel<'iters' | 'words'> = kernel(
  { name: 'ctaFence', use: { lsa }, params },
  ({ lsa, coopCta, fence, threadIdx, u32 }, { comm, win, iters }) => {
    for (let i = u32(0); i < iters; i++) {
      fence('acq_rel', 'system');
      coopCta().sync();
    }
    if (threadIdx.x === 0) lsa.pointer(win, u32, 0, comm.lsaRank).store(1, iters);
  },
);

/** Sets the flags of the rank itself to 0, before any rank stores the next one. */
export const clearFlags: MicroKernel<'iters' | 'words'> = kernel(
  { name: 'clearFlags', use: { lsa }, params },
  ({ lsa, threadIdx, u32, waitUntil }, { comm, win, iters }) => {
    if (threadIdx.x === 0) {
      const rank = comm.lsaRank;
      const mine = lsa.pointer(win, u32, 0, rank);
      mine.store(0, 0, 'relaxed', 'system');
      const turn = mine.load(48, 'relaxed', 'system') + 1;
      lsa.pointer(win, u32, 0, (rank + 1) % comm.lsaSize).store(64, turn, 'release', 'system');
      waitUntil(() => mine.load(64, 'acquire', 'system') >= turn);
      mine.store(48, turn, 'relaxed', 'system');
      if (iters === 0) mine.store(1, iters);
    }
  },
);

/** Does nothing. */
export const empty: Kernel = kernel({ name: 'empty', params: {} }, () => undefined);

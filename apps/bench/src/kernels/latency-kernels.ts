import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 as U32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

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
export const flagTrip = kernel(
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
export const releaseTrip = kernel(
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
export const loadChain = kernel(
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
export const atomicChain = kernel(
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
export const ctaSync = kernel(
  { name: 'ctaSync', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win, iters }) => {
    for (let i = u32(0); i < iters; i++) coopCta().sync();
    if (threadIdx.x === 0) lsa.pointer(win, u32, 0, comm.lsaRank).store(1, iters);
  },
);

/** One thread fences, with nothing to wait for. */
export const fenceChain = kernel(
  { name: 'fenceChain', use: { lsa }, params },
  ({ lsa, fence, threadIdx, u32 }, { comm, win, iters }) => {
    if (threadIdx.x === 0) {
      for (let i = u32(0); i < iters; i++) fence('acq_rel', 'system');
      lsa.pointer(win, u32, 0, comm.lsaRank).store(1, iters);
    }
  },
);

/** Each rank signals to the next one that its launch runs, and waits for the previous one. */
export const launchFlag = kernel(
  { name: 'launchFlag', use: { lsa }, params: { ...params, base: U32 } },
  ({ lsa, threadIdx, u32, waitUntil }, { comm, win, iters, base }) => {
    if (threadIdx.x === 0) {
      const rank = comm.lsaRank;
      const mine = lsa.pointer(win, u32, 0, rank);
      // The kernel counts the launches, because the host does not know how often a graph is
      // launched.
      const turn = mine.load(16, 'relaxed', 'system') + base;
      lsa.pointer(win, u32, 0, (rank + 1) % comm.lsaSize).store(32, turn, 'relaxed', 'system');
      waitUntil(() => mine.load(32, 'relaxed', 'system') >= turn);
      mine.store(16, turn, 'relaxed', 'system');
      if (iters > 1) mine.store(1, iters);
    }
  },
);

/** Sets the flags of the rank itself to 0, before any rank stores the next one. */
export const clearFlags = kernel(
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

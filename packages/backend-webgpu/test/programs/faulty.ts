import { devComm, window } from '@nccl-ts/devcomm';
import { i32, kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

const params = { comm: devComm, win: window, n: i32 };

export const readsBehindTheEnd = kernel(
  { name: 'readsBehindTheEnd', use: { lsa }, params },
  ({ lsa, threadIdx, blockIdx, f32, i32 }, { comm, win, n }) => {
    const next = lsa.pointer(win, f32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    if (blockIdx.x === 1) next.store(0, next.load(n + i32(threadIdx.x)));
  },
);

export const readsBetweenVectors = kernel(
  { name: 'readsBetweenVectors', use: { lsa }, params },
  ({ lsa, threadIdx, vec, f32 }, { win, n }) => {
    const four = vec(f32, 4);
    const at = lsa.localPointer(win, f32, 0).offset(n).cast(four);
    if (threadIdx.x === 31) lsa.localPointer(win, four, 0).store(1, at.load(0));
  },
);

export const dividesByZero = kernel(
  { name: 'dividesByZero', use: { lsa }, params },
  ({ lsa, threadIdx, i32 }, { win, n }) => {
    lsa.localPointer(win, i32, 0).store(threadIdx.x, 100 / (i32(threadIdx.x) - n));
  },
);

export const assertsTooMuch = kernel(
  { name: 'assertsTooMuch', params },
  ({ assert, print, threadIdx, i32 }, { comm, n }) => {
    if (threadIdx.x === 0) print('rank', comm.rank, 'has', n);
    assert(n + i32(threadIdx.x) < 10, 'n is small enough');
  },
);

/**
 * The ranks synchronize, and rank 0 makes a mistake before the next synchronization, which it does
 * not reach.
 */
export const failsBetweenBarriers = kernel(
  { name: 'failsBetweenBarriers', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win, n }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    if (comm.rank === 0) lsa.localPointer(win, u32, 0).store(u32(n) + threadIdx.x, 1);
    bar.sync(coopCta(), 'acq_rel');
    bar.sync(coopCta(), 'acq_rel');
  },
);

/** If `n` is above 0 a thread loops forever by itself. */
export const threadNeverEnds = kernel(
  { name: 'threadNeverEnds', use: { lsa }, params },
  ({ lsa, threadIdx, i32 }, { win, n }) => {
    let v = threadIdx.x === 7 ? n : i32(0);
    while (v !== 0) v = v > 0 ? (v % 1000) + 1 : v + 1;
    lsa.localPointer(win, i32, 0).store(threadIdx.x, v);
  },
);

/** If `n` is above 0 all threads loop together forever, without a wait. */
export const blockNeverEnds = kernel(
  { name: 'blockNeverEnds', use: { lsa }, params },
  ({ lsa, threadIdx, i32 }, { win, n }) => {
    const at = lsa.localPointer(win, i32, 0);
    let i = n;
    while (i > 0) {
      at.store(threadIdx.x, i);
      i = (i % 1000) + 1;
    }
  },
);

/** Spins on a word that never changes. */
export const spinsForEver = kernel({ name: 'spinsForEver', use: { lsa }, params }, ({ lsa, u32 }, { win, n }) => {
  const flag = lsa.localPointer(win, u32, 0);
  while (flag.load(0, 'acquire') !== u32(n)) {
    /* until another thread has stored it */
  }
});

/** Runs `n` synchronizations. */
export const meetsOften = kernel(
  { name: 'meetsOften', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, i32, u32 }, { comm, win, n }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    for (let i = i32(0); i < n; i++) bar.sync(coopCta(), 'acq_rel');
    lsa.localPointer(win, u32, 0).store(threadIdx.x, 1);
  },
);

import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 as U32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { MicroKernel } from './micro-kernel.ts';

/*
 * Kernels whose time grows by one synchronization for each turn of a loop: a fence, a release, an
 * acquire, each by its order and scope. One kernel has all kinds, because compiling takes longer
 * than measuring.
 */

const params = { comm: devComm, win: window, iters: U32, words: U32 } as const;

/** The fences that are measured, in the order of `kind`. */
export const fenceKinds = [
  { order: 'acq_rel', scope: 'block' },
  { order: 'acq_rel', scope: 'device' },
  { order: 'acq_rel', scope: 'system' },
  { order: 'seq_cst', scope: 'block' },
  { order: 'seq_cst', scope: 'device' },
  { order: 'seq_cst', scope: 'system' },
] as const;

/**
 * Each thread of a CTA fences. Before that it stores a word to rank `target`, or none if `target`
 * is no rank. With `meets`, the CTA synchronizes behind each fence.
 */
export const fenceOfKind: MicroKernel<'iters' | 'words' | 'kind' | 'target' | 'meets' | 'active'> = kernel(
  {
    name: 'fenceOfKind',
    use: { lsa },
    params: { ...params, kind: U32, target: U32, meets: U32, active: U32 },
  },
  ({ lsa, coopCta, fence, threadIdx, u32 }, { comm, win, iters, words, kind, target, meets, active }) => {
    const rank = comm.lsaRank;
    if (rank < active && threadIdx.x + 13600 < words) {
      const stores = target < comm.lsaSize ? u32(1) : u32(0);
      const to = lsa.pointer(win, u32, 0, stores === 1 ? target : rank);
      const place = 13600 + threadIdx.x;
      for (let i = u32(0); i < iters; i++) {
        if (stores === 1) to.store(place, i, 'relaxed', 'system');
        if (kind === 0) fence('acq_rel', 'block');
        else if (kind === 1) fence('acq_rel', 'device');
        else if (kind === 2) fence('acq_rel', 'system');
        else if (kind === 3) fence('seq_cst', 'block');
        else if (kind === 4) fence('seq_cst', 'device');
        else if (kind === 5) fence('seq_cst', 'system');
        if (meets === 1) coopCta().sync();
      }
      if (threadIdx.x === 0) lsa.pointer(win, u32, 0, rank).store(1, iters);
    }
  },
);

/** The accesses that are measured, in the order of `kind`. */
export const accessKinds = [
  { name: 'store-relaxed', order: 'relaxed', scope: 'system' },
  { name: 'store-release', order: 'release', scope: 'block' },
  { name: 'store-release', order: 'release', scope: 'device' },
  { name: 'store-release', order: 'release', scope: 'system' },
  { name: 'load-relaxed', order: 'relaxed', scope: 'system' },
  { name: 'load-acquire', order: 'acquire', scope: 'block' },
  { name: 'load-acquire', order: 'acquire', scope: 'device' },
  { name: 'load-acquire', order: 'acquire', scope: 'system' },
  { name: 'add-relaxed', order: 'relaxed', scope: 'system' },
  { name: 'add-release', order: 'release', scope: 'system' },
  { name: 'add-acq-rel', order: 'acq_rel', scope: 'device' },
  { name: 'add-acq-rel', order: 'acq_rel', scope: 'system' },
] as const;

/**
 * One thread stores to, loads from or adds to a word of rank `target`, with an order. Each load or
 * sum decides the place of the next, so that it is waited for. Stores are not waited for, unless
 * their order says so.
 */
export const accessOfKind: MicroKernel<'iters' | 'words' | 'kind' | 'target'> = kernel(
  { name: 'accessOfKind', use: { lsa }, params: { ...params, kind: U32, target: U32 } },
  ({ lsa, threadIdx, u32 }, { comm, win, iters, kind, target }) => {
    if (threadIdx.x === 0 && comm.lsaRank === 0) {
      const at = lsa.pointer(win, u32, 0, target);
      let place = u32(12000);
      for (let i = u32(0); i < iters; i++) {
        if (kind === 0) at.store(place, 0, 'relaxed', 'system');
        else if (kind === 1) at.store(place, 0, 'release', 'block');
        else if (kind === 2) at.store(place, 0, 'release', 'device');
        else if (kind === 3) at.store(place, 0, 'release', 'system');
        else if (kind === 4) place = 12000 + at.load(place, 'relaxed', 'system');
        else if (kind === 5) place = 12000 + at.load(place, 'acquire', 'block');
        else if (kind === 6) place = 12000 + at.load(place, 'acquire', 'device');
        else if (kind === 7) place = 12000 + at.load(place, 'acquire', 'system');
        else if (kind === 8) place = 12000 + at.atomicAdd(place, 0, 'relaxed', 'system');
        else if (kind === 9) place = 12000 + at.atomicAdd(place, 0, 'release', 'system');
        else if (kind === 10) place = 12000 + at.atomicAdd(place, 0, 'acq_rel', 'device');
        else if (kind === 11) place = 12000 + at.atomicAdd(place, 0, 'acq_rel', 'system');
      }
      lsa.pointer(win, u32, 0, comm.lsaRank).store(1, place);
    }
  },
);

/**
 * The flags of `launchFlags`, but only the first `active` CTAs exchange them, each `each` of them
 * by so many threads. The others end at once. It separates what a launch of more CTAs costs from
 * what more CTAs cost that wait.
 */
export const partFlags: MicroKernel<'iters' | 'words' | 'active' | 'each'> = kernel(
  { name: 'partFlags', use: { lsa }, params: { ...params, active: U32, each: U32 } },
  ({ lsa, blockIdx, coopCta, threadIdx, u32, waitUntil }, { comm, win, iters, active, each }) => {
    if (blockIdx.x < active) {
      const rank = comm.lsaRank;
      const mine = lsa.pointer(win, u32, 0, rank);
      const turns = 12288 + 8 * blockIdx.x;
      const turn = mine.load(turns, 'relaxed', 'system') + 1;
      coopCta().sync();
      if (threadIdx.x < each && rank < 2) {
        const place = 16384 + 8 * (threadIdx.x + each * blockIdx.x);
        lsa.pointer(win, u32, 0, 1 - rank).store(place, turn, 'relaxed', 'system');
        waitUntil(() => mine.load(place, 'relaxed', 'system') >= turn);
      }
      if (threadIdx.x === 0) {
        mine.store(turns, turn, 'relaxed', 'system');
        if (iters > 1) mine.store(1, iters);
      }
    }
  },
);

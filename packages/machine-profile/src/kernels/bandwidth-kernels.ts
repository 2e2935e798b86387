import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 as U32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { MicroKernel } from './micro-kernel.ts';

/** The most 16-byte accesses that a thread has in flight. */
export type Packs = 1 | 4;

export type SweepKernel = MicroKernel<'iters' | 'words' | 'distance' | 'active'>;

const params = { comm: devComm, win: window, iters: U32, words: U32, distance: U32, active: U32 } as const;

/*
 * Each thread moves units of 16 bytes, `packs` at once, over `words` units of the rank `distance`
 * further on. Only the first `active` ranks take part. The kernel makes `iters` passes over the
 * buffer.
 */

/** Stores. */
export const storeSweep = (packs: Packs): SweepKernel =>
  kernel(
    { name: `store${packs}`, use: { lsa, PACKS: packs }, params },
    (
      { lsa, PACKS, threadIdx, blockIdx, blockDim, gridDim, u32, unroll, vec },
      { comm, win, iters, words, distance, active },
    ) => {
      const rank = comm.lsaRank;
      if (rank < active) {
        const to = lsa.pointer(win, vec(u32, 4), 65536, (rank + distance) % comm.lsaSize);
        const step = blockDim.x * gridDim.x;
        const first = threadIdx.x + blockIdx.x * blockDim.x;
        for (let turn = u32(0); turn < iters; turn++) {
          const value = vec(u32, 4)(turn, first, turn, first);
          for (let i = first; i < words; i += step * PACKS) {
            for (const k of unroll(PACKS)) to.store(i + k * step, value);
          }
        }
      }
    },
  );

/** Loads. The last word keeps the compiler from removing them. */
export const loadSweep = (packs: Packs): SweepKernel =>
  kernel(
    { name: `load${packs}`, use: { lsa, PACKS: packs }, params },
    (
      { lsa, PACKS, threadIdx, blockIdx, blockDim, gridDim, lane, localArray, u32, unroll, vec },
      { comm, win, iters, words, distance, active },
    ) => {
      const rank = comm.lsaRank;
      if (rank < active) {
        const from = lsa.pointer(win, vec(u32, 4), 65536, (rank + distance) % comm.lsaSize);
        const step = blockDim.x * gridDim.x;
        const first = threadIdx.x + blockIdx.x * blockDim.x;
        const came = localArray(vec(u32, 4), PACKS);
        let sum = u32(0);
        for (let turn = u32(0); turn < iters; turn++) {
          for (let i = first; i < words; i += step * PACKS) {
            for (const k of unroll(PACKS)) came[k] = from.load(i + k * step);
            // All four words are used, because the compiler would otherwise load fewer.
            for (const k of unroll(PACKS)) {
              for (const w of unroll(4)) sum += lane(came.load(k), w);
            }
          }
        }
        if (sum === 0x9e3779b9) lsa.pointer(win, u32, 0, rank).store(1, sum);
      }
    },
  );

/** Loads from the first half of a buffer, and stores to the second half of the peer's. */
const halvesSweep = (name: string, packs: Packs, isFromPeer: boolean) =>
  kernel(
    { name: `${name}${packs}`, use: { lsa, PACKS: packs, FROM_PEER: isFromPeer }, params },
    (
      { lsa, PACKS, FROM_PEER, threadIdx, blockIdx, blockDim, gridDim, localArray, u32, unroll, vec },
      { comm, win, iters, words, distance, active },
    ) => {
      const rank = comm.lsaRank;
      if (rank < active) {
        const half = words / 2;
        const peer = (rank + distance) % comm.lsaSize;
        const from = lsa.pointer(win, vec(u32, 4), 65536, FROM_PEER ? peer : rank);
        const to = lsa.pointer(win, vec(u32, 4), 65536, peer).offset(half);
        const step = blockDim.x * gridDim.x;
        const first = threadIdx.x + blockIdx.x * blockDim.x;
        const came = localArray(vec(u32, 4), PACKS);
        for (let turn = u32(0); turn < iters; turn++) {
          for (let i = first; i < half; i += step * PACKS) {
            for (const k of unroll(PACKS)) came[k] = from.load(i + k * step);
            for (const k of unroll(PACKS)) to.store(i + k * step, came.load(k));
          }
        }
      }
    },
  );

/** Loads from the rank's own buffer. */
export const copySweep = (packs: Packs): SweepKernel => halvesSweep('copy', packs, false);

/** Loads from the peer's buffer, so both directions of a link are busy. */
export const bidirectionalSweep = (packs: Packs): SweepKernel => halvesSweep('both', packs, true);

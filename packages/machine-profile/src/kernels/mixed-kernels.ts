import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 as U32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Packs, SweepKernel } from './bandwidth-kernels.ts';

const params = { comm: devComm, win: window, iters: U32, words: U32, distance: U32, active: U32 } as const;

/*
 * Streams beside each other, over `words` units of 16 bytes, `packs` at once. `iters` passes. Only
 * the first `active` ranks take part.
 */

/** Loads from the own buffer, and the peer's if `joins`; stores to the own one, or else to both. */
const mixedSweep = (name: string, packs: Packs, joins: boolean) =>
  kernel(
    { name: `${name}${packs}`, use: { lsa, PACKS: packs, JOINS: joins }, params },
    (
      { lsa, PACKS, JOINS, threadIdx, blockIdx, blockDim, gridDim, lane, localArray, u32, unroll, vec },
      { comm, win, iters, words, distance, active },
    ) => {
      const rank = comm.lsaRank;
      if (rank < active) {
        const V = vec(u32, 4);
        const quarter = words / 4;
        const own = lsa.pointer(win, V, 65536, rank);
        const other = lsa.pointer(win, V, 65536, (rank + distance) % comm.lsaSize);
        const step = blockDim.x * gridDim.x;
        const first = threadIdx.x + blockIdx.x * blockDim.x;
        const came = localArray(V, PACKS);
        const more = localArray(V, PACKS);
        for (let turn = u32(0); turn < iters; turn++) {
          for (let i = first; i < quarter; i += step * PACKS) {
            for (const k of unroll(PACKS)) came[k] = own.load(i + k * step);
            if (JOINS) {
              for (const k of unroll(PACKS)) more[k] = other.load(i + quarter + k * step);
              for (const k of unroll(PACKS)) {
                const a = came.load(k);
                const b = more.load(k);
                const sum = V(lane(a, 0) + lane(b, 0), lane(a, 1) + lane(b, 1), lane(a, 2) + lane(b, 2), lane(b, 3));
                own.store(i + 2 * quarter + k * step, sum);
              }
            } else {
              for (const k of unroll(PACKS)) own.store(i + 2 * quarter + k * step, came.load(k));
              for (const k of unroll(PACKS)) other.store(i + 3 * quarter + k * step, came.load(k));
            }
          }
        }
      }
    },
  );

/** Loads from the own buffer; stores to the own one and to the peer's. */
export const fanOutSweep = (packs: Packs): SweepKernel => mixedSweep('fanOut', packs, false);

/** Loads from the own buffer and from the peer's; stores to the own one. */
export const fanInSweep = (packs: Packs): SweepKernel => mixedSweep('fanIn', packs, true);

/** All ranks but the first store to the first one, each to a part of its own. */
export const incastSweep = (packs: Packs): SweepKernel =>
  kernel(
    { name: `incast${packs}`, use: { lsa, PACKS: packs }, params },
    ({ lsa, PACKS, threadIdx, blockIdx, blockDim, gridDim, u32, unroll, vec }, { comm, win, iters, words, active }) => {
      const rank = comm.lsaRank;
      if (rank > 0 && rank < active) {
        const each = words / comm.lsaSize;
        const to = lsa.pointer(win, vec(u32, 4), 65536, 0).offset(each * rank);
        const step = blockDim.x * gridDim.x;
        const first = threadIdx.x + blockIdx.x * blockDim.x;
        for (let turn = u32(0); turn < iters; turn++) {
          const value = vec(u32, 4)(turn, first, turn, first);
          for (let i = first; i < each; i += step * PACKS) {
            for (const k of unroll(PACKS)) if (i + k * step < each) to.store(i + k * step, value);
          }
        }
      }
    },
  );

/** Every rank stores to all others, to each what the turn of its loop has for it. */
export const spreadSweep = (packs: Packs): SweepKernel =>
  kernel(
    { name: `spread${packs}`, use: { lsa, PACKS: packs }, params },
    ({ lsa, PACKS, threadIdx, blockIdx, blockDim, gridDim, u32, unroll, vec }, { comm, win, iters, words, active }) => {
      const rank = comm.lsaRank;
      if (rank < active) {
        const V = vec(u32, 4);
        const each = words / comm.lsaSize;
        const step = blockDim.x * gridDim.x;
        const first = threadIdx.x + blockIdx.x * blockDim.x;
        for (let turn = u32(0); turn < iters; turn++) {
          const value = V(turn, first, turn, first);
          for (let i = first; i < each; i += step * PACKS) {
            for (let away = u32(1); away < comm.lsaSize; away++) {
              const to = lsa.pointer(win, V, 65536, (rank + away) % comm.lsaSize).offset(each * rank);
              for (const k of unroll(PACKS)) if (i + k * step < each) to.store(i + k * step, value);
            }
          }
        }
      }
    },
  );

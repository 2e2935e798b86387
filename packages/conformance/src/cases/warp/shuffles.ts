import { at as itemAt } from '@nccl-ts/core';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const threads = 96;
const requires = { subgroups: true } as const;

const lanes = (i: number): { lane: number; base: number } => ({ lane: i % 32, base: i - (i % 32) });
const value = (i: number): number => i * 7 + 3;

const shflKernel = kernel(
  { name: 'shuffles', use: { lsa }, params: slots },
  ({ lsa, threadIdx, laneId, shfl, shflUp, shflDown, shflXor, u32 }, { out }) => {
    const i = threadIdx.x;
    const v = i * 7 + 3;
    const o = lsa.localPointer(out, u32, 0).offset(6 * i);
    o.store(0, shfl(v, 5));
    o.store(1, shfl(v, (laneId + 1) % 32));
    o.store(2, shflUp(v, 3));
    o.store(3, shflDown(v, 4));
    o.store(4, shflXor(v, 9));
    o.store(5, shfl(v, 31 - laneId));
  },
);

export const shuffles: Case<'warp/shuffles'> = computeCase({
  id: 'warp/shuffles',
  mirrors: '__shfl_sync, __shfl_up_sync, __shfl_down_sync, __shfl_xor_sync',
  requires,
  kernel: shflKernel,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: count(threads).flatMap((i) => {
      const { lane, base } = lanes(i);
      const at = (k: number): number => value(base + k);
      // If the lane would be outside the warp, the thread's own value.
      return [
        at(5),
        at((lane + 1) % 32),
        at(lane < 3 ? lane : lane - 3),
        at(lane > 27 ? lane : lane + 4),
        at(lane ^ 9),
        at(31 - lane),
      ];
    }),
  }),
});

const typesKernel = kernel(
  { name: 'shuffledTypes', use: { lsa }, params: slots },
  ({ lsa, threadIdx, shflXor, shfl, vec, lane, i8, u32, i64, u64, f32, bf16, f64, bool }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, f64, 0).offset(7 * i);
    o.store(0, shflXor(f32(i) / 3, 1));
    o.store(1, f64(shflXor(i64(i) * -5000000000, 2)));
    o.store(2, f64(shflXor(u64(i) << 40, 4)));
    o.store(3, shflXor(bf16(f32(i)) / 4, 8));
    o.store(4, f64(shfl(i8(i) * 1, 7)));
    o.store(5, lane(shflXor(vec(f32, 2)(f32(i), f32(i) * 2), 1), 1));
    o.store(6, bool(shfl(u32(i > 3), 4)) ? 1 : 0);
  },
);

export const shuffledTypes: Case<'warp/shuffled-types'> = computeCase({
  id: 'warp/shuffled-types',
  mirrors: '__shfl_sync for every type',
  requires: { subgroups: true, scalars: ['i8', 'i64', 'u64', 'bf16', 'f64'] },
  kernel: typesKernel,
  block: 32,
  expected: () => ({
    type: 'f64',
    values: count(32).flatMap((i) => [
      Math.fround((i ^ 1) / 3),
      0 - (i ^ 2) * 5e9,
      (i ^ 4) * 2 ** 40,
      (i ^ 8) / 4,
      7,
      (i ^ 1) * 2,
      1,
    ]),
  }),
});

const votesKernel = kernel(
  { name: 'votes', use: { lsa }, params: slots },
  ({ lsa, threadIdx, ballot, any, all, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(6 * i);
    o.store(0, ballot(i % 3 === 0));
    o.store(1, ballot(i & 16));
    o.store(2, any(i === 40) ? 1 : 0);
    o.store(3, all(i < 64) ? 1 : 0);
    o.store(4, u32(all(true)) + u32(any(false)) * 2);
    o.store(5, ballot(1));
  },
);

export const votes: Case<'warp/votes'> = computeCase({
  id: 'warp/votes',
  mirrors: '__ballot_sync, __any_sync, __all_sync',
  requires,
  kernel: votesKernel,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: count(threads).flatMap((i) => {
      const { base } = lanes(i);
      const mask = (f: (k: number) => boolean): number =>
        count(32).reduce((bits, k) => bits + (f(base + k) ? 2 ** k : 0), 0);
      return [
        mask((k) => k % 3 === 0),
        mask((k) => (k & 16) !== 0),
        base === 32 ? 1 : 0,
        base < 64 ? 1 : 0,
        1,
        0xffffffff,
      ];
    }),
  }),
});

const partialKernel = kernel(
  { name: 'partialWarp', use: { lsa }, params: slots },
  ({ lsa, threadIdx, ballot, shfl, any, all, laneId, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(4 * i);
    o.store(0, ballot(true));
    o.store(1, shfl(i, laneId / 2));
    o.store(2, all(i < 50) ? 1 : 0);
    o.store(3, any(i > 48) ? 1 : 0);
  },
);

export const partialWarp: Case<'warp/partial'> = computeCase({
  id: 'warp/partial',
  mirrors: 'the last warp of a CTA whose size is not a multiple of 32',
  requires,
  kernel: partialKernel,
  block: 50,
  expected: () => ({
    type: 'u32',
    values: count(50).flatMap((i) => {
      const { lane, base } = lanes(i);
      return [base === 0 ? 0xffffffff : 2 ** 18 - 1, base + Math.floor(lane / 2), 1, base === 0 ? 0 : 1];
    }),
  }),
});

const reduceKernel = kernel(
  { name: 'warpReduce', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockDim, shflDown, shflXor, sharedArray, coopCta, f32, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const partial = sharedArray(f32, 32);
    let v = lsa.localPointer(input, f32, 0).load(i);
    for (let delta = u32(16); delta > 0; delta /= 2) v += shflDown(v, delta);
    if (i % 32 === 0) partial.store(i / 32, v);
    coopCta().sync();
    let total = f32(0);
    if (i < 32) {
      total = i < blockDim.x / 32 ? partial.load(i) : f32(0);
      for (let mask = u32(16); mask > 0; mask /= 2) total += shflXor(total, mask);
      if (i === 0) lsa.localPointer(out, f32, 0).store(0, total);
    }
  },
);

export const warpReduce: Case<'warp/reduce'> = computeCase({
  id: 'warp/reduce',
  mirrors: 'a block reduction by shuffles, in a branch that a whole warp takes',
  requires: { subgroups: true, divergentWaits: true },
  kernel: reduceKernel,
  block: 256,
  input: { type: 'f32', values: count(256).map((i) => Math.fround(Math.sqrt(i))) },
  expected: () => {
    const r = Math.fround;
    const warps = count(8).map((w) => {
      let values = count(32).map((k) => r(Math.sqrt(w * 32 + k)));
      for (let delta = 16; delta >= 1; delta /= 2)
        values = values.map((v, k) => r(v + itemAt(values, k + delta < 32 ? k + delta : k)));
      return itemAt(values, 0);
    });
    // Lanes beyond the number of warps add 0.
    let all = count(32).map((k) => (k < warps.length ? itemAt(warps, k) : 0));
    for (let mask = 16; mask >= 1; mask /= 2) all = all.map((v, k) => r(v + itemAt(all, k ^ mask)));
    return { type: 'f32', values: all.slice(0, 1) };
  },
});

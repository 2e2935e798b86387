import { at as itemAt } from '@nccl-ts/core';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const reverseKernel = kernel(
  { name: 'reverseInShared', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, blockDim, coopCta, sharedArray, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const turned = sharedArray(u32, 256);
    const doubled = sharedArray(u32, 256);
    const base = blockIdx.x * blockDim.x;
    const v = lsa.localPointer(input, u32, 0).load(base + i);
    turned.store(blockDim.x - 1 - i, v);
    doubled.store(i, v * 2);
    coopCta().sync();
    const other = doubled.load((i + 1) % blockDim.x);
    coopCta().sync();
    // Written again after all threads have read.
    doubled.store(i, turned.load(i) + other);
    coopCta().sync();
    lsa.localPointer(out, u32, 0).store(base + i, doubled.load((i + 5) % blockDim.x));
  },
);

const values = count(768).map((i) => (i * i) % 1009);

export const sharedReverse: Case<'memory/shared-arrays'> = computeCase({
  id: 'memory/shared-arrays',
  mirrors: '__shared__ arrays, one set for each CTA',
  kernel: reverseKernel,
  grid: 3,
  block: 256,
  input: { type: 'u32', values },
  expected: () => ({
    type: 'u32',
    values: count(768).map((at) => {
      const base = at - (at % 256);
      const i = ((at % 256) + 5) % 256;
      return itemAt(values, base + 255 - i) + 2 * itemAt(values, base + ((i + 1) % 256));
    }),
  }),
});

const typedKernel = kernel(
  { name: 'typedArrays', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, coopCta, sharedArray, localArray, vec, lane, u8, i16, f16, f32, f64, u32 }, { out }) => {
    const i = threadIdx.x;
    const bytes = sharedArray(u8, 32);
    const quads = sharedArray(vec(f32, 4), 32);
    const wide = sharedArray(f64, 32);
    const halves = localArray(f16, 3);
    const shorts = localArray(i16, 5);
    bytes.store(i, u8(i * 9));
    quads.store(i, vec(f32, 4)(f32(i), 1, 2, f32(i) * 2));
    wide.store(i, 1 / (f32(i) + 1));
    for (let k = 0; k < 3; k++) halves.store(k, f16(k) + 0.5);
    for (let k = 0; k < 5; k++) shorts.store(4 - k, i16(k * -100));
    coopCta().sync();
    const o = lsa.localPointer(out, f32, 0).offset(6 * (i + 32 * blockIdx.x));
    o.store(0, f32(bytes.load(31 - i)));
    o.store(1, lane(quads.load((i + 1) % 32), 3));
    o.store(2, f32(wide.load(i ^ 1)));
    o.store(3, halves.load(i % 3));
    o.store(4, f32(shorts.load(i % 5)));
    // Shared bytes, accessed as words.
    o.store(5, f32(bytes.cast(u32).load(i / 4) & 255));
  },
);

export const typedArrays: Case<'memory/typed-arrays'> = computeCase({
  id: 'memory/typed-arrays',
  mirrors: 'shared and local arrays of every size of element',
  requires: { scalars: ['u8', 'i16', 'f16', 'f64'] },
  ranks: [1, 2],
  kernel: typedKernel,
  grid: 2,
  block: 32,
  expected: () => {
    const values = count(32).flatMap((i) => [
      ((31 - i) * 9) % 256,
      ((i + 1) % 32) * 2,
      Math.fround(Math.fround(1 / ((i ^ 1) + 1))),
      (i % 3) + 0.5,
      0 - (4 - (i % 5)) * 100,
      ((i - (i % 4)) * 9) % 256,
    ]);
    // Each CTA has its own arrays.
    return { type: 'f32', values: [...values, ...values] };
  },
});

const localKernel = kernel(
  { name: 'localSort', use: { lsa }, params: slots },
  ({ lsa, threadIdx, localArray, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const mine = localArray(u32, 8);
    const given = lsa.localPointer(input, u32, 0).offset(8 * i);
    for (let k = 0; k < 8; k++) mine.store(k, given.load(k));
    // Insertion sort, with indices that are known only at run time and differ between threads.
    for (let k = 1; k < 8; k++) {
      const v = mine.load(k);
      let at = k;
      while (at > 0 && mine.load(at - 1) > v) {
        mine.store(at, mine.load(at - 1));
        at--;
      }
      mine.store(at, v);
    }
    const o = lsa.localPointer(out, u32, 0).offset(8 * i);
    for (let k = 0; k < 8; k++) o.store(k, mine.load(k));
  },
);

const unsorted = count(8 * 40).map((i) => (i * 7919) % 1013);

export const localArrays: Case<'memory/local-arrays'> = computeCase({
  id: 'memory/local-arrays',
  mirrors: 'arrays of each thread',
  kernel: localKernel,
  block: 40,
  input: { type: 'u32', values: unsorted },
  expected: () => ({
    type: 'u32',
    values: count(40).flatMap((i) => unsorted.slice(8 * i, 8 * i + 8).sort((a, b) => a - b)),
  }),
});

const largeKernel = kernel(
  { name: 'largeShared', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, blockDim, coopCta, sharedArray, u32 }, { out }) => {
    const words = sharedArray(u32, 12000);
    for (let i = threadIdx.x; i < 12000; i += blockDim.x) words.store((i * 7) % 12000, i);
    coopCta().sync();
    let sum = u32(0);
    for (let i = threadIdx.x; i < 12000; i += blockDim.x) sum += words.load(i) * (i % 5);
    lsa.localPointer(out, u32, 0).store(threadIdx.x + 32 * blockIdx.x, sum);
  },
);

export const largeShared: Case<'memory/large-shared-array'> = computeCase({
  id: 'memory/large-shared-array',
  mirrors: '48000 bytes of __shared__ memory',
  requires: { sharedBytes: 48000 },
  ranks: [1, 2],
  kernel: largeKernel,
  grid: 2,
  block: 32,
  expected: () => {
    const words: number[] = [];
    for (const i of count(12000)) words[(i * 7) % 12000] = i;
    const sums = count(32).map((t) => words.reduce((sum, word, i) => (i % 32 === t ? sum + word * (i % 5) : sum), 0));
    return { type: 'u32', values: [...sums, ...sums] };
  },
});

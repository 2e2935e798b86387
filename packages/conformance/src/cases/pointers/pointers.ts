import { deviceFn, kernel, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { MemoryOrder } from '@nccl-ts/core';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count, scrambled } from '../fixture/numbers.ts';

const indexKernel = kernel(
  { name: 'indexForms', use: { lsa }, params: slots },
  ({ lsa, u32, i32, i64, u8 }, { input, out }) => {
    const p = lsa.localPointer(input, u32, 0);
    const o = lsa.localPointer(out, u32, 0);
    o[0] = p[0]!;
    o[1] = p[u8(3)]! + p.load(i64(4));
    const middle = p.offset(8);
    o[2] = middle[-2]!;
    o[3] = middle.offset(-8)[1]!;
    o[4] = middle.offset(2).offset(3).load(i32(-1));
    let at = u32(5);
    o[at++] = p[at++]!;
    o[at] = at;
    // Read, change, write.
    o[8] = 10;
    o[8] += p[2]!;
    o[8] *= 2;
    o[8]++;
    o[9] = o[8]--;
    o[10] = 7;
    o[10] <<= 4;
    o[10] |= 1;
    o[11] = o[12] = p[3]!;
  },
);

const given = scrambled(16).map((x) => x % 1000);
const g = (i: number): number => given[i] ?? NaN;

export const indexForms: Case<'pointers/index-forms'> = computeCase({
  id: 'pointers/index-forms',
  mirrors: 'p[i], p.load(i), p.store(i, v), p.offset(n); indices of every integer type, negative ones too',
  requires: { scalars: ['u8', 'i64'] },
  kernel: indexKernel,
  input: { type: 'u32', values: given },
  expected: () => ({
    type: 'u32',
    // Evaluation is from left to right: it stores to index 5 and reads element 6, and the index is
    // then 7.
    values: [
      g(0),
      g(3) + g(4),
      g(6),
      g(1),
      g(12),
      g(6),
      0xa5a5a5a5,
      7,
      2 * (10 + g(2)),
      2 * (10 + g(2)) + 1,
      113,
      g(3),
      g(3),
    ],
  }),
});

const castKernel = kernel(
  { name: 'pointerCasts', use: { lsa }, params: slots },
  ({ lsa, threadIdx, vec, u8, i8, u16, u32, i64, f32, u64 }, { input, out }) => {
    const i = threadIdx.x;
    const bytes = lsa.localPointer(input, u8, 0);
    const o = lsa.localPointer(out, u64, 0).offset(6 * i);
    o.store(
      0,
      u64(
        bytes
          .offset(8 * i)
          .cast(u32)
          .load(1),
      ),
    );
    o.store(1, bytes.cast(u64).load(i));
    o.store(
      2,
      u64(
        bytes
          .cast(u16)
          .offset(1)
          .load(4 * i),
      ),
    );
    o.store(3, u64(i64(bytes.cast(i8).load(8 * i + 7))));
    o.store(
      4,
      u64(
        bytes
          .cast(f32)
          .cast(u32)
          .load(2 * i),
      ),
    );
    o.cast(vec(u32, 2)).store(5, vec(u32, 2)(i, 7));
  },
);

const raw = scrambled(64, 3).map((x) => x % 256);

export const pointerCasts: Case<'pointers/casts'> = computeCase({
  id: 'pointers/casts',
  mirrors: 'reinterpret_cast of pointers',
  requires: { scalars: ['u8', 'i8', 'u16', 'i64', 'u64'] },
  kernel: castKernel,
  block: 8,
  input: { type: 'u8', values: raw },
  expected: () => {
    const view = new DataView(Uint8Array.from(raw).buffer);
    return {
      type: 'u64',
      values: count(8).flatMap((i) => [
        BigInt(view.getUint32(8 * i + 4, true)),
        view.getBigUint64(8 * i, true),
        BigInt(view.getUint16(8 * i + 2, true)),
        BigInt.asUintN(64, BigInt(view.getInt8(8 * i + 7))),
        BigInt(view.getUint32(8 * i, true)),
        (7n << 32n) | BigInt(i),
      ]),
    };
  },
});

const walkKernel = kernel(
  { name: 'pointerVariables', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const start = lsa.localPointer(input, u32, 0);
    const end = start.offset(16);
    let p = start.offset(i);
    let sum = u32(0);
    // A pointer that moves until it equals another one.
    while (p < end) {
      sum += p.load(0);
      p = p.offset(i + 1);
    }
    const chosen = i % 2 === 0 ? start : start.offset(15);
    const o = lsa.localPointer(out, u32, 0);
    o.store(4 * i, sum);
    o.store(4 * i + 1, chosen.load(0));
    o.store(4 * i + 2, start === chosen ? 1 : 0);
    o.store(4 * i + 3, start.offset(i) > start.offset(3) ? 1 : 0);
  },
);

export const pointerVariables: Case<'pointers/variables'> = computeCase({
  id: 'pointers/variables',
  mirrors: 'pointers in variables, compared, chosen',
  kernel: walkKernel,
  block: 8,
  input: { type: 'u32', values: given },
  expected: () => ({
    type: 'u32',
    values: count(8).flatMap((i) => {
      let sum = 0;
      for (let k = i; k < 16; k += i + 1) sum += g(k);
      return [sum, i % 2 === 0 ? g(0) : g(15), i % 2 === 0 ? 1 : 0, i > 3 ? 1 : 0];
    }),
  }),
});

const copy: DeviceFn<(from: Ptr, to: Ptr, n: number, order: MemoryOrder) => void> = deviceFn(
  { name: 'copyOrdered' },
  (_context, from: Ptr, to: Ptr, n: number, order: MemoryOrder) => {
    for (let i = 0; i < n; i++) {
      const v = from.load(i, order === 'release' ? 'relaxed' : order === 'acq_rel' ? 'acquire' : order, 'device');
      to.store(i, v, order === 'acquire' ? 'relaxed' : order === 'acq_rel' ? 'release' : order, 'block');
    }
  },
);

/** The number of words of a thread. */
const each = 14;
const orderKernel = kernel(
  { name: 'orderedAccesses', use: { lsa, copy, each }, params: slots },
  ({ lsa, copy, each, threadIdx, blockIdx, blockDim, u32, u64, f32, i32 }, { input, out }) => {
    const begin = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    const from = lsa.localPointer(input, u32, 0).offset(begin);
    const to = lsa.localPointer(out, u32, 0).offset(begin);
    copy(from, to, 2, 'relaxed');
    copy(from.offset(2), to.offset(2), 2, 'acquire');
    copy(from.offset(4), to.offset(4), 2, 'release');
    copy(from.offset(6), to.offset(6), 2, 'acq_rel');
    copy(from.offset(8), to.offset(8), 2, 'seq_cst');
    to.cast(u64).store(5, from.cast(u64).load(5, 'acquire', 'system'), 'release', 'system');
    to.cast(f32).store(12, from.cast(f32).load(12, 'relaxed', 'thread'), 'relaxed', 'thread');
    to.cast(i32).store(13, from.cast(i32).load(13, 'seq_cst'), 'seq_cst');
  },
);

const numbers = scrambled(4 * each);

export const orderedAccesses: Case<'pointers/ordered-accesses'> = computeCase({
  id: 'pointers/ordered-accesses',
  mirrors: 'ld and st with orders and scopes',
  requires: { scalars: ['u64'] },
  kernel: orderKernel,
  ranks: [1, 2],
  grid: 2,
  block: 2,
  input: { type: 'u32', values: numbers },
  expected: () => ({ type: 'u32', values: numbers }),
});

const copyAs: DeviceFn<(from: Ptr, to: Ptr, T: TypeFn, n: number) => void> = deviceFn(
  { name: 'copyAs' },
  ({ threadIdx, blockDim }, from: Ptr, to: Ptr, T: TypeFn, n: number) => {
    for (let i = threadIdx.x; i < n; i += blockDim.x) to.cast(T).store(i, from.cast(T).load(i));
  },
);

const copyKernel = kernel(
  { name: 'copyInVectors', use: { lsa, copyAs }, params: slots },
  ({ lsa, copyAs, vec, u8, u16, u32, u64, f32, bf16 }, { input, out }) => {
    const from = lsa.localPointer(input, u8, 0);
    const to = lsa.localPointer(out, u8, 0);
    copyAs(from, to, vec(f32, 4), 64);
    copyAs(from.offset(1024), to.offset(1024), vec(bf16, 8), 64);
    copyAs(from.offset(2048), to.offset(2048), u64, 64);
    copyAs(from.offset(2560), to.offset(2560), vec(u16, 2), 64);
    copyAs(from.offset(2816), to.offset(2816), u32, 64);
    copyAs(from.offset(3072), to.offset(3072), vec(u8, 16), 64);
  },
);

/** Bytes of numbers, because the payload of a NaN might change. */
const bytes = scrambled(4096, 5).map((x, i) => (i % 2 === 1 ? x % 120 : x % 256));

export const vectorCopies: Case<'pointers/vector-copies'> = computeCase({
  id: 'pointers/vector-copies',
  mirrors: 'copies 2 to 16 bytes wide',
  requires: { scalars: ['u8', 'u16', 'u64', 'bf16'] },
  kernel: copyKernel,
  block: 48,
  input: { type: 'u8', values: bytes },
  expected: () => ({ type: 'u8', values: bytes }),
});

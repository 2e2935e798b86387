/* oxlint-disable no-unused-expressions, no-unmodified-loop-condition -- what looks odd in these kernels is what they are about */
import { deviceFn, kernel, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';
import { roundTo } from '../fixture/round-float.ts';

const threads = 40;
const each = (f: (i: number) => number): { type: 'u32'; values: readonly number[] } => ({
  type: 'u32',
  values: count(threads).map(f),
});

/** The index of the first word above a limit. It returns from inside two loops. */
const firstAbove: DeviceFn<(p: Ptr, rows: number, columns: number, limit: number) => number> = deviceFn(
  { name: 'firstAbove' },
  ({ u32 }, p: Ptr, rows: number, columns: number, limit: number) => {
    for (let r = u32(0); r < rows; r++) {
      if (r === 2) continue;
      for (let c = u32(0); c < columns; c++) {
        const v = p.load(r * columns + c);
        if (v > limit) return r * 100 + c;
        if (v === 13) break;
      }
    }
    return u32(999);
  },
);

const searchKernel = kernel(
  { name: 'searchTwice', use: { lsa, firstAbove }, params: slots },
  ({ lsa, firstAbove, threadIdx, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const p = lsa.localPointer(input, u32, 0);
    // Called twice in one expression, and in a loop's condition.
    let sum = firstAbove(p, u32(5), u32(6), i) * 2 + firstAbove(p, u32(3), u32(10), i * 2);
    for (let k = u32(0); firstAbove(p, u32(5), u32(6), k * 10) < 400; k++) {
      if (k > 5) break;
      sum += 10000;
    }
    lsa.localPointer(out, u32, 0).store(i, sum);
  },
);

const table = count(30).map((i) => (i * 11) % 31);

function found(rows: number, columns: number, limit: number): number {
  for (let r = 0; r < rows; r++) {
    if (r === 2) continue;
    for (let c = 0; c < columns; c++) {
      const v = table[r * columns + c] ?? NaN;
      if (v > limit) return r * 100 + c;
      if (v === 13) break;
    }
  }
  return 999;
}

export const earlyReturns: Case<'language/returns-from-loops'> = computeCase({
  id: 'language/returns-from-loops',
  mirrors: 'device functions that return, break and continue in nested loops',
  kernel: searchKernel,
  block: threads,
  input: { type: 'u32', values: table },
  expected: () =>
    each((i) => {
      let sum = found(5, 6, i) * 2 + found(3, 10, i * 2);
      for (let k = 0; found(5, 6, k * 10) < 400 && k <= 5; k++) sum += 10000;
      return sum;
    }),
});

const conditionKernel = kernel(
  { name: 'changingConditions', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32, i32 }, { input, out }) => {
    const i = threadIdx.x;
    const p = lsa.localPointer(input, u32, 0);
    let n = i32(i) % 7;
    let v = u32(0);
    // Conditions that change the variables that they read.
    while (n-- > 0) v += 1;
    while (++n < 3) v += 10;
    let at = u32(0);
    while (p.load(at++) < 20 && at < 9) v += 100;
    do v += 1000;
    while (n-- > 1 || at-- > 5);
    let a = v % 2 === 0;
    if (!a) a = i > 30;
    a = a && i !== 35;
    let b = i > 3;
    if (b) b = p.load(i % 30) > 5;
    if (a) v += 10000;
    if (b) v += 20000;
    lsa.localPointer(out, u32, 0).store(i, v);
  },
);

export const changingConditions: Case<'language/changing-conditions'> = computeCase({
  id: 'language/changing-conditions',
  mirrors: 'while (n-- > 0)',
  kernel: conditionKernel,
  block: threads,
  input: { type: 'u32', values: table },
  expected: () =>
    each((i) => {
      const p = (k: number): number => table[k] ?? NaN;
      let n = i % 7;
      let v = 0;
      while (n-- > 0) v += 1;
      while (++n < 3) v += 10;
      let at = 0;
      while (p(at++) < 20 && at < 9) v += 100;
      do v += 1000;
      while (n-- > 1 || at-- > 5);
      const a = (v % 2 === 0 || i > 30) && i !== 35;
      const b = i > 3 && p(i % 30) > 5;
      return v + (a ? 10000 : 0) + (b ? 20000 : 0);
    }),
});

const closureKernel = kernel(
  { name: 'closures', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, blockDim, sharedArray, coopCta, u32 }, { out }) => {
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    let x = i;
    // A function sees the value of a variable at its call.
    const twice = (): number => x * 2;
    let sum = twice();
    x += 5;
    sum += twice() * 100;
    const outer = (a: number): number => {
      const inner = (b: number): number => a * b + x;
      return inner(2) + inner(3);
    };
    sum += outer(i) * 10000;
    const scratch = (value: number): number => {
      const words = sharedArray(u32, 40);
      words.store(threadIdx.x, value);
      coopCta().sync();
      const other = words.load(39 - threadIdx.x);
      coopCta().sync();
      return other;
    };
    lsa.localPointer(out, u32, 0).store(i, sum + scratch(i) + scratch(i * 3));
  },
);

export const closures: Case<'language/closures'> = computeCase({
  id: 'language/closures',
  mirrors: 'functions that read variables from outside',
  kernel: closureKernel,
  ranks: [1, 2],
  grid: 2,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: count(2 * threads).map((i) => {
      // Threads of one CTA exchange their values.
      const other = i < threads ? 39 - i : 119 - i;
      return 2 * i + 200 * (i + 5) + 10000 * (5 * i + 2 * (i + 5)) + other * 4;
    }),
  }),
});

const smallKernel = kernel(
  { name: 'smallElements', use: { lsa }, params: slots },
  ({ lsa, threadIdx, i8, u16, f16, bf16 }, { out }) => {
    const i = threadIdx.x;
    const bytes = lsa.localPointer(out, i8, 0).offset(8 * i);
    bytes[0] = i8(120);
    bytes[0] += i8(i);
    bytes[1] = i8(-100);
    bytes[1] *= 2;
    bytes[1]--;
    let narrow = i8(i);
    narrow <<= 3;
    narrow = i8(narrow + 1);
    bytes[2] = narrow++;
    bytes[3] = narrow;
    const words = bytes.cast(u16);
    words[2] = u16(65530);
    words[2] += u16(i);
    const halves = bytes.offset(6);
    let h = f16(0.1);
    h += f16(i);
    h *= 3;
    if (i % 2 === 0) halves.cast(f16).store(0, h);
    else {
      let b = bf16(1.01);
      b += bf16(i);
      b--;
      halves.cast(bf16).store(0, b);
    }
  },
);

export const smallElements: Case<'language/small-elements'> = computeCase({
  id: 'language/small-elements',
  mirrors: 'compound assignments of small types convert back to their type',
  requires: { scalars: ['i8', 'u16', 'f16', 'bf16'] },
  kernel: smallKernel,
  block: 16,
  expected: () => {
    const bytes = new DataView(new ArrayBuffer(8 * 16));
    for (const i of count(16)) {
      const signed = (x: number): number => Number(BigInt.asIntN(8, BigInt(x)));
      bytes.setInt8(8 * i, signed(120 + i));
      bytes.setInt8(8 * i + 1, signed(signed(-200) - 1));
      const narrow = signed(signed(i << 3) + 1);
      bytes.setInt8(8 * i + 2, narrow);
      bytes.setInt8(8 * i + 3, signed(narrow + 1));
      bytes.setUint16(8 * i + 4, (65530 + i) % 65536, true);
      const h = roundTo('f16', roundTo('f16', roundTo('f16', 0.1) + i) * 3);
      const b = roundTo('bf16', roundTo('bf16', roundTo('bf16', 1.01) + i) - 1);
      bytes.setUint16(8 * i + 6, i % 2 === 0 ? halfBits(h) : brainBits(b), true);
    }
    return { type: 'u8', values: [...new Uint8Array(bytes.buffer)] };
  },
});

/** The bits of a positive, normal f16. */
function halfBits(x: number): number {
  const exponent = Math.floor(Math.log2(x));
  return (exponent + 15) * 1024 + (x / 2 ** exponent - 1) * 1024;
}

/** The bits of a bf16: the upper half of an f32's. */
function brainBits(x: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, x);
  return view.getUint16(0);
}

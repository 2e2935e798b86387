/* oxlint-disable no-unused-expressions, no-constant-condition, no-constant-binary-expression, no-unmodified-loop-condition,
   misrefactored-assign-op, no-var -- what looks odd in these kernels is what they are about */
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const threads = 48;
const each = (f: (i: number) => number): { type: 'u32'; values: readonly number[] } => ({
  type: 'u32',
  values: count(threads).map(f),
});
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const forKernel = kernel({ name: 'forLoops', use: { lsa }, params: slots }, ({ lsa, threadIdx, u32 }, { out }) => {
  const i = threadIdx.x;
  let v = u32(0);
  for (let k = 0; k < 10; k++) v += u32(k);
  for (let k = u32(0); k < i; k += 3) v += 100;
  for (let k = 5; k >= 0; k--) v += 1;
  for (let a = u32(0), b = u32(10); a < b; a++, b--) v += b - a;
  for (let k = 0; k < 0; k++) v += 100000;
  let n = u32(0);
  for (;;) {
    if (n >= i) break;
    n += 2;
  }
  lsa.localPointer(out, u32, 0).store(i, v + n * 10000);
});

export const forLoops: Case<'language/for'> = computeCase({
  id: 'language/for',
  mirrors: 'for',
  kernel: forKernel,
  block: threads,
  expected: () => each((i) => 45 + 100 * Math.ceil(i / 3) + 6 + 30 + 10000 * 2 * Math.ceil(i / 2)),
});

const whileKernel = kernel(
  { name: 'whileLoops', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const p = lsa.localPointer(input, u32, 0);
    let n = i + 1;
    let steps = u32(0);
    // Collatz: each thread's number decides how often it iterates.
    while (n !== 1) {
      n = n % 2 === 0 ? n / 2 : 3 * n + 1;
      steps++;
    }
    let at = u32(0);
    // A test that loads.
    while (p.load(at) < i) at++;
    let last = u32(0);
    while (true) {
      last++;
      if (last * last > i) break;
    }
    lsa.localPointer(out, u32, 0).store(i, steps * 10000 + at * 100 + last);
  },
);

const ascending = [0, 3, 7, 12, 20, 31, 40, 100];

export const whileLoops: Case<'language/while'> = computeCase({
  id: 'language/while',
  mirrors: 'while',
  kernel: whileKernel,
  block: threads,
  input: { type: 'u32', values: ascending },
  expected: () =>
    each((i) => {
      let [n, steps] = [i + 1, 0];
      while (n !== 1) [n, steps] = [n % 2 === 0 ? n / 2 : 3 * n + 1, steps + 1];
      return steps * 10000 + ascending.findIndex((x) => x >= i) * 100 + Math.floor(Math.sqrt(i)) + 1;
    }),
});

const doKernel = kernel({ name: 'doLoops', use: { lsa }, params: slots }, ({ lsa, threadIdx, u32 }, { input, out }) => {
  const i = threadIdx.x;
  const p = lsa.localPointer(input, u32, 0);
  let v = u32(0);
  let k = i;
  do {
    v += k;
    k /= 2;
  } while (k > 0);
  let at = u32(0);
  do at++;
  while (p.load(at) < i);
  let once = u32(0);
  do {
    once++;
    if (i > 10) continue;
    once += 10;
  } while (once < 3);
  lsa.localPointer(out, u32, 0).store(i, v * 10000 + at * 100 + once);
});

export const doLoops: Case<'language/do-while'> = computeCase({
  id: 'language/do-while',
  mirrors: 'do, while; continue goes to the test',
  kernel: doKernel,
  block: threads,
  input: { type: 'u32', values: ascending },
  expected: () =>
    each((i) => {
      let v = 0;
      for (let k = i; k > 0; k = Math.floor(k / 2)) v += k;
      const at = Math.max(
        1,
        ascending.findIndex((x) => x >= i),
      );
      return v * 10000 + at * 100 + (i > 10 ? 3 : 11);
    }),
});

const leavingKernel = kernel(
  { name: 'breakContinue', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32 }, { out }) => {
    const i = threadIdx.x;
    let v = u32(0);
    for (let k = u32(0); k < 20; k++) {
      if (k === i) break;
      if (k % 3 === 0) continue;
      v += k;
    }
    // Each leaves its own loop.
    for (let a = u32(0); a < 4; a++) {
      if (a === 2) continue;
      for (let b = u32(0); b < 4; b++) {
        if (b > a + (i % 3)) break;
        if ((a + b) % 2 === 1) continue;
        v += 1000;
      }
      if (v > 5000) break;
    }
    lsa.localPointer(out, u32, 0).store(i, v);
  },
);

export const leaving: Case<'language/break-continue'> = computeCase({
  id: 'language/break-continue',
  mirrors: 'break, continue, in nested loops',
  kernel: leavingKernel,
  block: threads,
  expected: () =>
    each((i) => {
      let v = sum(count(Math.min(i, 20)).filter((k) => k % 3 !== 0));
      for (const a of [0, 1, 3]) {
        v += 1000 * count(4).filter((b) => b <= a + (i % 3) && (a + b) % 2 === 0).length;
        if (v > 5000) break;
      }
      return v;
    }),
});

const unrollKernel = kernel(
  { name: 'unrolled', use: { lsa, n: 5 }, params: slots },
  ({ lsa, n, threadIdx, unroll, u32 }, { out }) => {
    const i = threadIdx.x;
    let v = u32(0);
    for (const k of unroll(n)) v += u32(k) * i;
    for (const k of unroll(4)) {
      if (k === 2) continue;
      v += 1000;
      if (i === u32(k)) break;
    }
    for (const a of unroll(2)) for (const b of unroll(3)) v += u32(10000 * (a * 3 + b));
    for (const k of unroll(0)) v += u32(k) + 77;
    lsa.localPointer(out, u32, 0).store(i, v);
  },
);

export const unrolled: Case<'language/unroll'> = computeCase({
  id: 'language/unroll',
  mirrors: '#pragma unroll with a constant count',
  kernel: unrollKernel,
  block: threads,
  expected: () => each((i) => 10 * i + 1000 * (i === 0 ? 1 : i === 1 ? 2 : 3) + 150000),
});

const strideKernel = kernel(
  { name: 'gridStride', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, u32 }, { input, out }) => {
    const p = lsa.localPointer(input, u32, 0);
    const o = lsa.localPointer(out, u32, 0);
    for (let k = threadIdx.x + blockIdx.x * blockDim.x; k < 1000; k += blockDim.x * gridDim.x)
      o.store(k, p.load(999 - k) * 2);
  },
);

export const gridStride: Case<'language/grid-stride'> = computeCase({
  id: 'language/grid-stride',
  mirrors: 'grid-stride loops',
  kernel: strideKernel,
  grid: 3,
  block: 50,
  input: { type: 'u32', values: count(1000, 7) },
  expected: () => ({ type: 'u32', values: count(1000).map((k) => 2 * (999 - k + 7)) }),
});

/* oxlint-disable no-unused-expressions, no-constant-condition, no-constant-binary-expression, no-unmodified-loop-condition,
   misrefactored-assign-op, no-var -- what looks odd in these kernels is what they are about */
import { deviceFn, kernel, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const threads = 32;
const each = (f: (i: number) => number): { type: 'u32'; values: readonly number[] } => ({
  type: 'u32',
  values: count(threads).map(f),
});

const scopesKernel = kernel({ name: 'scopes', use: { lsa }, params: slots }, ({ lsa, threadIdx, u32 }, { out }) => {
  const i = threadIdx.x;
  let x = u32(1);
  let later;
  {
    let x = u32(100);
    x += i;
    later = x;
  }
  for (let x = u32(0); x < 3; x++) later += x;
  if (i > 4) {
    const x = u32(7);
    later += x;
  }
  x += later;
  var hoisted = x * 2;
  if (i % 2 === 1) {
    hoisted = 5;
  }
  let unset;
  if (i < 3) unset = u32(1);
  else unset = u32(2);
  lsa.localPointer(out, u32, 0).store(i, hoisted * 10 + unset);
});

export const scopes: Case<'language/scopes'> = computeCase({
  id: 'language/scopes',
  mirrors: 'lexical scope, shadowing, let without a value',
  kernel: scopesKernel,
  block: threads,
  expected: () =>
    each((i) => {
      const x = 1 + 100 + i + 3 + (i > 4 ? 7 : 0);
      return (i % 2 === 1 ? 5 : 2 * x) * 10 + (i < 3 ? 1 : 2);
    }),
});

const orderKernel = kernel({ name: 'evaluationOrder', use: { lsa }, params: slots }, ({ lsa, u32 }, { out }) => {
  const o = lsa.localPointer(out, u32, 0);
  let x = u32(1);
  // Left to right: a value that was read does not change.
  o.store(0, x + (x = 5) * 10 + x * 100);
  o.store(1, x++ + x++ * 10 + x * 100);
  o.store(2, --x * 10 + x--);
  let y = u32(0);
  o.store(3, (y = x = 9) + y + x);
  o.store(4, ((x = 2), x + 1));
  let n = u32(0);
  o.store(n++, 50);
  o.store(n + 4, n++ + 60);
  const a = x;
  x = 77;
  o.store(6, a);
  let s = u32(10);
  s += (s = 3) + s;
  o.store(7, s);
});

export const evaluationOrder: Case<'language/evaluation-order'> = computeCase({
  id: 'language/evaluation-order',
  mirrors: 'evaluation from left to right',
  kernel: orderKernel,
  expected: () => ({ type: 'u32', values: [50, 5 + 60 + 700, 66, 27, 3, 61, 2, 16] }),
});

const declarationsKernel = kernel(
  { name: 'declarations', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockDim: { x: width }, u32, f32 }, { out }) => {
    const { x: i } = threadIdx;
    const pair = { first: i + 1, rest: { second: f32(2.5), twice: (v: number) => v * 2 } };
    const {
      first,
      rest: { second, twice },
    } = pair;
    const add = (a: number, b: number) => a + b;
    function square(v: number) {
      return v * v;
    }
    const clamped = (v: number) => {
      if (v > 20) return u32(20);
      return v;
    };
    const o = lsa.localPointer(out, u32, 0);
    o.store(i, add(twice(first), square(u32(second))) * 100 + clamped(first) + width);
  },
);

export const declarations: Case<'language/local-functions'> = computeCase({
  id: 'language/local-functions',
  mirrors: 'destructuring, object constants, functions inside a kernel',
  kernel: declarationsKernel,
  block: threads,
  expected: () => each((i) => (2 * (i + 1) + 4) * 100 + Math.min(i + 1, 20) + threads),
});

const clampTo: DeviceFn<(v: number, most: number) => number> = deviceFn(
  { name: 'clampTo' },
  ({ min }, v: number, most: number) => min(v, most),
);

const sumOf: DeviceFn<(n: number, f: (i: number) => number) => number> = deviceFn(
  { name: 'sumOf' },
  ({ u32 }, n: number, f: (i: number) => number) => {
    let total = u32(0);
    for (let i = u32(0); i < n; i++) {
      if (f(i) > 1000) return total;
      total += f(i);
    }
    return total;
  },
);

const nested: DeviceFn<(x: number) => number> = deviceFn(
  { name: 'nested', use: { clampTo, limit: 30 } },
  ({ clampTo, limit }, x: number) => clampTo(x * 2, limit) + clampTo(x, 3),
);

const apply: DeviceFn<(f: (a: number, b: number) => number, x: number) => number> = deviceFn(
  { name: 'applyTwice' },
  (_context, f: (a: number, b: number) => number, x: number) => f(f(x, 1), 2),
);

const functionsKernel = kernel(
  { name: 'deviceFunctions', use: { lsa, nested, sumOf, apply }, params: slots },
  ({ lsa, nested, sumOf, apply, threadIdx, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const p = lsa.localPointer(input, u32, 0);
    let calls = u32(0);
    const a = nested(i);
    // Arrow functions as arguments see the surrounding variables.
    const b = sumOf(i, (k) => p.load(k) * (i + 1));
    const c = apply((x, y) => x * 3 + y, i);
    for (let k = 0; k < 2; k++) calls += nested(u32(k));
    lsa.localPointer(out, u32, 0).store(i, a + b * 100 + c * 10 + calls);
  },
);

export const deviceFunctions: Case<'language/device-functions'> = computeCase({
  id: 'language/device-functions',
  mirrors: '__device__ functions, lambdas as arguments',
  kernel: functionsKernel,
  block: threads,
  input: { type: 'u32', values: count(threads, 1) },
  expected: () =>
    each((i) => {
      const twice = (x: number): number => Math.min(2 * x, 30) + Math.min(x, 3);
      let b = 0;
      for (let k = 0; k < i && (k + 1) * (i + 1) <= 1000; k++) b += (k + 1) * (i + 1);
      return twice(i) + b * 100 + ((i * 3 + 1) * 3 + 2) * 10 + twice(0) + twice(1);
    }),
});

const cubeKernel = kernel(
  { name: 'threeDimensions', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, laneId, warpSize, u32 }, { out }) => {
    const thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const perBlock = blockDim.x * blockDim.y * blockDim.z;
    const packed =
      threadIdx.x + threadIdx.y * 10 + threadIdx.z * 100 + blockIdx.x * 1000 + blockIdx.y * 10000 + blockIdx.z * 100000;
    const o = lsa.localPointer(out, u32, 0);
    o.store(2 * (block * perBlock + thread), packed);
    o.store(2 * (block * perBlock + thread) + 1, laneId + warpSize * 100);
  },
);

export const threeDimensions: Case<'language/three-dimensions'> = defineCase({
  id: 'language/three-dimensions',
  mirrors: 'threadIdx, blockIdx, blockDim, gridDim in x, y and z',
  ranks: [1],
  kernels: [cubeKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const grid = { x: 2, y: 3, z: 2 };
      const block = { x: 5, y: 4, z: 3 };
      const input = await comm.allocWindow('u32', 1);
      const out = await comm.allocWindow('u32', 2 * 12 * 60);
      await comm.launch(cubeKernel, { grid, block }, { input, out });
      const expected: number[] = [];
      for (let b = 0; b < 12; b++) {
        for (let t = 0; t < 60; t++) {
          const inBlock = (t % 5) + (Math.floor(t / 5) % 4) * 10 + Math.floor(t / 20) * 100;
          const inGrid = (b % 2) * 1000 + (Math.floor(b / 2) % 3) * 10000 + Math.floor(b / 6) * 100000;
          expected.push(inBlock + inGrid, (t % 32) + 3200);
        }
      }
      expectValues('out', await out.read(), expected);
    });
  },
});

const emptyKernel = kernel({ name: 'nothing' }, () => {});

export const emptyBody: Case<'language/empty-kernel'> = defineCase({
  id: 'language/empty-kernel',
  mirrors: '__global__ void nothing() {}',
  ranks: [1, 3],
  kernels: [emptyKernel],
  run: async ({ run }) => {
    const reports = await run(async (comm) => {
      await comm.launch(emptyKernel, { grid: 3, block: 64 }, {});
      await comm.launch(emptyKernel, { grid: { x: 2, y: 2, z: 2 }, block: 1 }, {});
      return comm.synchronize();
    });
    expectValues(
      'launches told',
      reports.map(({ launches }) => launches),
      reports.map(() => 2),
    );
  },
});

import { window, type WindowArg } from '@nccl-ts/devcomm';
import {
  bf16,
  deviceFn,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  kernel,
  u16,
  u32,
  u64,
  u8,
  vec,
  type DeviceFn,
  type Kernel,
  type Ptr,
  type ScalarParam,
  type TypeFn,
  type ValueParam,
  type VectorParam,
} from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count, scrambled } from '../fixture/numbers.ts';

type CopyKernel = Kernel<{ readonly from: WindowArg; readonly to: WindowArg; readonly n: number }>;

function copyKernel(T: ValueParam, name: string): CopyKernel {
  return kernel(
    { name: `copy_${name}`, use: { lsa, T }, params: { from: window, to: window, n: u32 } },
    ({ lsa, T, threadIdx, blockIdx, blockDim, gridDim }, { from, to, n }) => {
      const source = lsa.localPointer(from, T, 0);
      const target = lsa.localPointer(to, T, 0);
      for (let i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        target.store(n - 1 - i, source.load(i));
    },
  );
}

/** One kernel for each type. It reverses an array without changing bytes of elements. */
function copies<const Id extends string>(id: Id, T: ScalarParam<ScalarKind, unknown> | VectorParam): Case<Id> {
  const scalar = T.kind === 'scalar' ? T.scalar : T.element;
  const size = scalarInfo[scalar].bytes * (T.kind === 'scalar' ? 1 : T.width);
  const one = copyKernel(T, T.kind === 'scalar' ? T.scalar : `${T.element}x${T.width}`);
  const n = 333;
  return defineCase({
    id,
    mirrors: 'template <typename T> __global__',
    requires: { scalars: ['i32', 'u32', 'f32'].includes(scalar) ? [] : [scalar] },
    ranks: [1],
    kernels: [one],
    run: async ({ run }) => {
      await run(async (comm) => {
        const from = await comm.allocWindow('u8', n * size);
        const to = await comm.allocWindow('u8', n * size);
        // The upper byte of every float is small, so no pattern is a NaN, whose payload might
        // change.
        const bytes = scrambled(n * size, size).map((x) => x % 100);
        await from.write(bytes);
        await comm.launch(one, { grid: 3, block: 40 }, { from, to, n });
        const turned = count(n)
          .toReversed()
          .flatMap((i) => bytes.slice(i * size, (i + 1) * size));
        expectValues('bytes', await to.read(), turned);
      });
    },
  });
}

export const i8Copies: Case<'generic/copy/i8'> = copies('generic/copy/i8', i8);
export const u8Copies: Case<'generic/copy/u8'> = copies('generic/copy/u8', u8);
export const i16Copies: Case<'generic/copy/i16'> = copies('generic/copy/i16', i16);
export const u16Copies: Case<'generic/copy/u16'> = copies('generic/copy/u16', u16);
export const i32Copies: Case<'generic/copy/i32'> = copies('generic/copy/i32', i32);
export const u32Copies: Case<'generic/copy/u32'> = copies('generic/copy/u32', u32);
export const i64Copies: Case<'generic/copy/i64'> = copies('generic/copy/i64', i64);
export const u64Copies: Case<'generic/copy/u64'> = copies('generic/copy/u64', u64);
export const f16Copies: Case<'generic/copy/f16'> = copies('generic/copy/f16', f16);
export const bf16Copies: Case<'generic/copy/bf16'> = copies('generic/copy/bf16', bf16);
export const f32Copies: Case<'generic/copy/f32'> = copies('generic/copy/f32', f32);
export const f64Copies: Case<'generic/copy/f64'> = copies('generic/copy/f64', f64);
export const e4m3Copies: Case<'generic/copy/e4m3'> = copies('generic/copy/e4m3', e4m3);
export const e5m2Copies: Case<'generic/copy/e5m2'> = copies('generic/copy/e5m2', e5m2);
export const vectorCopies: Case<'generic/copy/f32x4'> = copies('generic/copy/f32x4', vec(f32, 4));
export const byteVectorCopies: Case<'generic/copy/u8x16'> = copies('generic/copy/u8x16', vec(u8, 16));

const fold: DeviceFn<(p: Ptr, n: number, T: TypeFn, combine: (a: number, b: number) => number) => number> = deviceFn(
  { name: 'fold' },
  (_context, p: Ptr, n: number, T: TypeFn, combine: (a: number, b: number) => number) => {
    let total = T(0);
    for (let i = 0; i < n; i++) total = combine(total, p.load(i));
    return total;
  },
);

const genericCalls = kernel(
  { name: 'genericFunctions', use: { lsa, fold, Wide: f64, factor: 2.5, label: 'max' }, params: slots },
  ({ lsa, fold, Wide, factor, label, max, f32, i32, f64 }, { input, out }) => {
    const o = lsa.localPointer(out, f64, 0);
    const floats = lsa.localPointer(input, f32, 0);
    o.store(
      0,
      fold(floats, 8, f32, (a, b) => a + b),
    );
    o.store(1, f64(fold(floats.cast(i32), 8, i32, (a, b) => a ^ b)));
    o.store(
      2,
      fold(floats, 4, Wide, (a, b) => a * 2 + Wide(b)),
    );
    o.store(
      3,
      fold(floats, 8, f32, (a, b) => (label === 'max' ? max(a, b) : a)),
    );
    o.store(4, Wide(floats.load(0)) * factor);
  },
);

const eight = [1.5, -2.25, 3.125, 10, 0.1, 77.7, -5, 2].map(Math.fround);

export const genericFunctions: Case<'generic/functions'> = computeCase({
  id: 'generic/functions',
  mirrors: 'template functions that take types, functions and constants',
  requires: { scalars: ['f64'] },
  kernel: genericCalls,
  input: { type: 'f32', values: eight },
  expected: () => ({
    type: 'f64',
    values: [
      eight.reduce((a, b) => Math.fround(a + b), 0),
      [...new Int32Array(new Float32Array(eight).buffer)].reduce((a, b) => a ^ b, 0),
      eight.slice(0, 4).reduce((a, b) => a * 2 + b, 0),
      Math.max(...eight),
      1.5 * 2.5,
    ],
  }),
});

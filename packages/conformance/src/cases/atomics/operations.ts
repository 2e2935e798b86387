import { at } from '@nccl-ts/core';
import { f32, f64, i32, i64, kernel, u32, u64, type ScalarParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots, type SlotKernel } from '../fixture/compute-case.ts';
import { samplesOf, wrapTo } from '../fixture/integers.ts';
import { roundTo } from '../fixture/round-float.ts';

type AtomicKind = 'i32' | 'u32' | 'i64' | 'u64';

const ranks = [1, 2] as const;
const grid = 2;

/** Each operation once, on separate memory: its result, and the value in memory. */
function operationsKernel(T: ScalarParam<AtomicKind, unknown>): SlotKernel {
  return kernel(
    { name: `atomics_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, blockIdx, blockDim }, { input, out }) => {
      const i = blockIdx.x * blockDim.x + threadIdx.x;
      const given = lsa.localPointer(input, T, 0);
      const a = given.load(2 * i);
      const b = given.load(2 * i + 1);
      const o = lsa.localPointer(out, T, 0).offset(20 * i);
      for (let k = 0; k < 10; k++) o.store(k, a);
      o.store(10, o.atomicAdd(0, b));
      o.store(11, o.atomicSub(1, b, 'relaxed'));
      o.store(12, o.atomicMin(2, b, 'acquire', 'device'));
      o.store(13, o.atomicMax(3, b, 'release', 'system'));
      o.store(14, o.atomicAnd(4, b, 'acq_rel', 'block'));
      o.store(15, o.atomicOr(5, b, 'seq_cst', 'device'));
      o.store(16, o.atomicXor(6, b));
      o.store(17, o.atomicExch(7, b));
      o.store(18, o.atomicCas(8, b, T(7)));
      o.store(19, o.atomicCas(9, a, b, 'acq_rel'));
      // The result may be ignored.
      o.atomicAdd(0, 1);
    },
  );
}

function operations<const Id extends string>(id: Id, T: ScalarParam<AtomicKind, unknown>): Case<Id> {
  const kind = T.scalar;
  const samples = samplesOf(kind);
  const [first = 0n] = samples;
  const last = samples.at(-1) ?? 0n;
  // An even number for each value, because half of the pairs belong to one CTA.
  const pairs = samples.flatMap((a) => [first, 1n, wrapTo(kind, -3n), 77n, last, a].map((b) => [a, b] as const));
  const wrap = (x: bigint): bigint => wrapTo(kind, x);
  return computeCase({
    id,
    mirrors:
      'cuda::atomic_ref: fetch_add, fetch_sub, fetch_min, fetch_max, fetch_and, fetch_or, fetch_xor, exchange, compare_exchange',
    requires: { scalars: kind === 'i64' || kind === 'u64' ? [kind] : [] },
    kernel: operationsKernel(T),
    ranks,
    grid,
    block: pairs.length / grid,
    input: { type: kind, values: pairs.flat() },
    expected: () => ({
      type: kind,
      values: pairs.flatMap(([a, b]) => [
        wrap(a + b + 1n),
        wrap(a - b),
        a < b ? a : b,
        a > b ? a : b,
        wrap(a & b),
        wrap(a | b),
        wrap(a ^ b),
        b,
        a === b ? 7n : a,
        b,
        ...Array.from({ length: 10 }, () => a),
      ]),
    }),
  });
}

export const i32Operations: Case<'atomics/i32'> = operations('atomics/i32', i32);
export const u32Operations: Case<'atomics/u32'> = operations('atomics/u32', u32);
export const i64Operations: Case<'atomics/i64'> = operations('atomics/i64', i64);
export const u64Operations: Case<'atomics/u64'> = operations('atomics/u64', u64);

function floatKernel(T: ScalarParam<'f32' | 'f64', unknown>): SlotKernel {
  return kernel(
    { name: `atomics_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, blockIdx, blockDim }, { input, out }) => {
      const i = blockIdx.x * blockDim.x + threadIdx.x;
      const given = lsa.localPointer(input, T, 0);
      const a = given.load(i);
      const o = lsa.localPointer(out, T, 0).offset(4 * i);
      o.store(0, a);
      o.store(1, a);
      o.store(2, o.atomicAdd(0, given.load(7 - i)));
      o.store(3, o.atomicExch(1, 0.5, 'relaxed', 'device'));
    },
  );
}

function floats<const Id extends string>(id: Id, T: ScalarParam<'f32' | 'f64', unknown>): Case<Id> {
  const kind = T.scalar;
  const samples = [1, 0.1, -3.75, 1e20, 1 / 3, Infinity, NaN, -2.5].map((x) => roundTo(kind, x));
  return computeCase({
    id,
    mirrors: 'atomicAdd and atomicExch on floats',
    requires: { scalars: kind === 'f64' ? ['f64'] : [] },
    kernel: floatKernel(T),
    ranks,
    grid,
    block: samples.length / grid,
    input: { type: kind, values: samples },
    expected: () => ({
      type: kind,
      values: samples.flatMap((a, i) => [roundTo(kind, a + at(samples, 7 - i)), 0.5, a, a]),
    }),
  });
}

export const f32Operations: Case<'atomics/f32'> = floats('atomics/f32', f32);
export const f64Operations: Case<'atomics/f64'> = floats('atomics/f64', f64);

import { bf16, f16, f32, f64, kernel, type ScalarParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots, type SlotKernel } from '../fixture/compute-case.ts';
import { fusedTo, isSubnormal, largestOf, roundTo } from '../fixture/round-float.ts';

type TestedFloat = 'f16' | 'bf16' | 'f32' | 'f64';
type FloatParam = ScalarParam<TestedFloat, unknown>;

function arithmeticKernel(T: FloatParam): SlotKernel {
  return kernel(
    { name: `arithmetic_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, blockIdx, blockDim, min, max, abs, fma, math, u32 }, { input, out }) => {
      const i = threadIdx.x + blockIdx.x * blockDim.x;
      const given = lsa.localPointer(input, T, 0);
      const a = given.load(2 * i);
      const b = given.load(2 * i + 1);
      const o = lsa.localPointer(out, T, 0).offset(20 * i);
      o.store(0, a + b);
      o.store(1, a - b);
      o.store(2, a * b);
      o.store(3, a / b);
      o.store(4, -a);
      o.store(5, abs(a));
      o.store(6, min(a, b));
      o.store(7, max(a, b));
      o.store(8, fma(a, b, a));
      o.store(9, math.sqrt(a));
      o.store(10, math.floor(a));
      o.store(11, math.ceil(a));
      o.store(12, math.trunc(a));
      o.store(13, math.round(a));
      let flags = u32(0);
      if (a < b) flags |= 1;
      if (a <= b) flags |= 2;
      if (a > b) flags |= 4;
      if (a >= b) flags |= 8;
      if (a === b) flags |= 16;
      if (a !== b) flags |= 32;
      if (a) flags |= 64;
      o.store(14, T(flags));
      // No contraction: two roundings.
      o.store(15, a * b + a);
      o.store(16, a * 0.1 + 3);
      let c = a;
      c += b;
      c *= 1.5;
      c -= a;
      c /= 3;
      o.store(17, c);
      let d = b;
      d++;
      const before = d--;
      o.store(18, before);
      o.store(19, d);
    },
  );
}

function halfEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  if (!Number.isFinite(x)) return x;
  const nearest = rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
  return nearest === 0 && (x < 0 || Object.is(x, -0)) ? -0 : nearest;
}

function expectedOf(kind: TestedFloat, a: number, b: number): readonly number[] {
  const r = (x: number): number => roundTo(kind, x);
  const flags = [a < b, a <= b, a > b, a >= b, a === b, a !== b, !(a === 0)];
  const lesser = Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b);
  const greater = Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b);
  let c = r(a + b);
  c = r(c * 1.5);
  c = r(c - a);
  c = r(c / 3);
  const more = r(b + 1);
  return [
    r(a + b),
    r(a - b),
    r(a * b),
    r(a / b),
    -a,
    Math.abs(a),
    lesser,
    greater,
    fusedTo(kind, a, b, a),
    r(Math.sqrt(a)),
    Math.floor(a),
    Math.ceil(a),
    Math.trunc(a),
    halfEven(a),
    flags.reduce((sum, flag, bit) => sum + (flag ? 2 ** bit : 0), 0),
    r(r(a * b) + a),
    r(r(a * r(0.1)) + 3),
    c,
    more,
    r(more - 1),
  ];
}

/** Normal numbers, infinities and NaN. */
function samplesOf(kind: TestedFloat): readonly number[] {
  const largest = largestOf(kind);
  const samples = [
    1,
    1.5,
    0.5,
    2.5,
    3.5,
    -0.75,
    -2.5,
    1 / 3,
    -Math.PI,
    10.7,
    100.3,
    1000.9,
    -33.25,
    largest,
    -largest,
    Infinity,
    -Infinity,
    NaN,
  ];
  return samples.map((x) => roundTo(kind, x));
}

function arithmetic<const Id extends string>(id: Id, T: FloatParam): Case<Id> {
  const kind = T.scalar;
  const samples = samplesOf(kind);
  const all = samples.flatMap((a) => samples.map((b) => [a, b] as const));
  // Subnormal results have cases of their own.
  const normal = all.filter(([a, b]) => expectedOf(kind, a, b).every((x) => !isSubnormal(kind, x)));
  const pairs = normal.slice(0, normal.length - (normal.length % 2));
  return computeCase({
    id,
    mirrors: 'IEEE 754 arithmetic, rounded to the type after every operation',
    requires: { scalars: kind === 'f32' ? [] : [kind] },
    kernel: arithmeticKernel(T),
    grid: 2,
    block: pairs.length / 2,
    input: { type: kind, values: pairs.flat() },
    expected: () => ({ type: kind, values: pairs.flatMap(([a, b]) => expectedOf(kind, a, b)) }),
  });
}

export const f16Arithmetic: Case<'scalars/f16/arithmetic'> = arithmetic('scalars/f16/arithmetic', f16);
export const bf16Arithmetic: Case<'scalars/bf16/arithmetic'> = arithmetic('scalars/bf16/arithmetic', bf16);
export const f32Arithmetic: Case<'scalars/f32/arithmetic'> = arithmetic('scalars/f32/arithmetic', f32);
export const f64Arithmetic: Case<'scalars/f64/arithmetic'> = arithmetic('scalars/f64/arithmetic', f64);

function subnormalKernel(T: FloatParam): SlotKernel {
  return kernel(
    { name: `subnormals_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx }, { input, out }) => {
      const i = threadIdx.x;
      const a = lsa.localPointer(input, T, 0).load(i);
      const o = lsa.localPointer(out, T, 0).offset(5 * i);
      o.store(0, a);
      o.store(1, a + a);
      o.store(2, a / 2);
      o.store(3, a * 0.75);
      o.store(4, a - a / 4);
    },
  );
}

function subnormals<const Id extends string>(id: Id, T: FloatParam, smallestNormal: number, digits: number): Case<Id> {
  const kind = T.scalar;
  const unit = smallestNormal * 2 ** (1 - digits);
  const samples = [
    0,
    -0,
    unit,
    -unit,
    3 * unit,
    7 * unit,
    smallestNormal - unit,
    smallestNormal,
    smallestNormal + unit,
    -smallestNormal,
  ];
  const r = (x: number): number => roundTo(kind, x);
  return computeCase({
    id,
    mirrors: 'IEEE 754 subnormal numbers: nothing is flushed to zero',
    requires: { scalars: kind === 'f32' ? [] : [kind] },
    kernel: subnormalKernel(T),
    block: samples.length,
    input: { type: kind, values: samples },
    expected: () => ({
      type: kind,
      values: samples.flatMap((a) => [a, r(a + a), r(a / 2), r(a * 0.75), r(a - r(a / 4))]),
    }),
  });
}

export const f16Subnormals: Case<'scalars/f16/subnormals'> = subnormals('scalars/f16/subnormals', f16, 2 ** -14, 11);
export const bf16Subnormals: Case<'scalars/bf16/subnormals'> = subnormals(
  'scalars/bf16/subnormals',
  bf16,
  2 ** -126,
  8,
);
export const f32Subnormals: Case<'scalars/f32/subnormals'> = subnormals('scalars/f32/subnormals', f32, 2 ** -126, 24);
export const f64Subnormals: Case<'scalars/f64/subnormals'> = subnormals('scalars/f64/subnormals', f64, 2 ** -1022, 53);

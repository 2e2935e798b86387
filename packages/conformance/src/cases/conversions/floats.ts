import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count, scrambled } from '../fixture/numbers.ts';
import { roundTo } from '../fixture/round-float.ts';

const narrow = kernel(
  { name: 'narrowF32', use: { lsa }, params: slots },
  ({ lsa, threadIdx, f16, bf16, f32, e4m3, e5m2 }, { input, out }) => {
    const i = threadIdx.x;
    const a = lsa.localPointer(input, f32, 0).load(i);
    const o = lsa.localPointer(out, f32, 0).offset(4 * i);
    o.store(0, f32(f16(a)));
    o.store(1, f32(bf16(a)));
    o.store(2, f32(e4m3(a)));
    o.store(3, f32(e5m2(a)));
  },
);

/**
 * The midpoints of two neighbours and the values next to them, at the ends of every format's range.
 */
const edges: readonly number[] = [
  1,
  1 + 2 ** -11,
  1 + 3 * 2 ** -11,
  1 + 2 ** -11 + 2 ** -20,
  1 + 2 ** -8,
  1 + 3 * 2 ** -8,
  1 + 2 ** -4,
  1 + 3 * 2 ** -4,
  1 + 2 ** -3,
  1.375,
  65504,
  65519.99,
  65520,
  65536,
  57344,
  61439,
  61440,
  1e6,
  448,
  463.9,
  464,
  480,
  3.38e38,
  3.3961e38,
  3.4e38,
  2 ** -14,
  2 ** -15,
  2 ** -24,
  2 ** -25,
  2 ** -25 * 1.01,
  3 * 2 ** -25,
  2 ** -6,
  2 ** -9,
  2 ** -10,
  2 ** -10 * 1.5,
  2 ** -16,
  2 ** -17,
  3 * 2 ** -17,
  2 ** -126,
  0,
  Infinity,
  NaN,
];
const samples: readonly number[] = [
  ...edges,
  ...edges.map((x) => -x),
  ...scrambled(64).map((x) => (x / 2 ** 31 - 0.5) * 2 ** (x % 30)),
].map(Math.fround);

const targets = ['f16', 'bf16', 'e4m3', 'e5m2'] as const;

export const narrowF32: Case<'conversions/f32-to-narrow-floats'> = computeCase({
  id: 'conversions/f32-to-narrow-floats',
  mirrors: 'cvt.rn to f16, bf16, e4m3, e5m2: to nearest even; the 8-bit ones saturate',
  requires: { scalars: ['f16', 'bf16', 'e4m3', 'e5m2'] },
  kernel: narrow,
  block: samples.length,
  input: { type: 'f32', values: samples },
  expected: () => ({ type: 'f32', values: samples.flatMap((x) => targets.map((kind) => roundTo(kind, x))) }),
});

const narrowWide = kernel(
  { name: 'narrowF64', use: { lsa }, params: slots },
  ({ lsa, threadIdx, f16, bf16, f32, f64 }, { input, out }) => {
    const i = threadIdx.x;
    const a = lsa.localPointer(input, f64, 0).load(i);
    const o = lsa.localPointer(out, f64, 0).offset(4 * i);
    o.store(0, f32(a));
    o.store(1, f16(a));
    o.store(2, bf16(a));
    o.store(3, f64(f32(a)) - a);
  },
);

const tiny = 2 ** -50;
const wideSamples: readonly number[] = [
  1 + 2 ** -24,
  1 + 2 ** -24 + tiny,
  1 + 2 ** -24 - tiny,
  1 + 3 * 2 ** -24,
  1 + 2 ** -11 + tiny,
  1 + 2 ** -8 + tiny,
  1 + 2 ** -8 - tiny,
  3.4028235677973366e38,
  3.4028235e38,
  1e300,
  2 ** -149,
  2 ** -150,
  2 ** -150 * 1.0001,
  2 ** -1074,
  0.1,
  1 / 3,
  0,
  -0,
  Infinity,
  -Infinity,
  NaN,
];

export const narrowF64: Case<'conversions/f64-to-narrow-floats'> = computeCase({
  id: 'conversions/f64-to-narrow-floats',
  mirrors: 'cvt.rn from f64: rounded once',
  requires: { scalars: ['f64', 'f16', 'bf16'] },
  kernel: narrowWide,
  block: wideSamples.length,
  input: { type: 'f64', values: wideSamples },
  expected: () => ({
    type: 'f64',
    values: wideSamples.flatMap((x) => {
      const single = roundTo('f32', x);
      return [single, roundTo('f16', x), roundTo('bf16', x), single - x];
    }),
  }),
});

const widen = kernel(
  { name: 'widenHalves', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, blockDim, f16, bf16, f32 }, { input, out }) => {
    const i = threadIdx.x + blockIdx.x * blockDim.x;
    const o = lsa.localPointer(out, f32, 0).offset(2 * i);
    o.store(0, f32(lsa.localPointer(input, f16, 0).load(i)));
    o.store(1, f32(lsa.localPointer(input, bf16, 0).load(i)));
  },
);

const patterns: readonly number[] = count(256).map((i) => (i * 257 + (i % 7) * 31) % 65536);

function halfValue(bits: number, exponentBits: number): number {
  const fractionBits = 15 - exponentBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  const exponent = (bits % 32768) >> fractionBits;
  const fraction = (bits % 2 ** fractionBits) / 2 ** fractionBits;
  const sign = bits >= 32768 ? -1 : 1;
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
}

export const widenHalves: Case<'conversions/halves-to-f32'> = computeCase({
  id: 'conversions/halves-to-f32',
  mirrors: 'cvt.f32.f16, cvt.f32.bf16: exact',
  requires: { scalars: ['f16', 'bf16'] },
  kernel: widen,
  grid: 4,
  block: 64,
  input: { type: 'u16', values: patterns },
  expected: () => ({ type: 'f32', values: patterns.flatMap((bits) => [halfValue(bits, 5), halfValue(bits, 8)]) }),
});

const implicit = kernel(
  { name: 'implicitConversions', use: { lsa }, params: slots },
  ({ lsa, i8, u8, u32, i64, f16, f32, f64 }, { input, out }) => {
    const given = lsa.localPointer(input, i8, 0);
    const o = lsa.localPointer(out, f64, 0);
    const wide = lsa.localPointer(out, i64, 0);
    const a = given.load(0);
    // Assignment widens implicitly, but narrowing needs a cast.
    wide.store(0, a);
    wide.store(1, u8(a));
    wide.store(2, u32(a));
    let sum = i64(0);
    sum += a;
    sum += u32(7);
    wide.store(3, sum);
    const h = f16(0.1);
    o.store(4, h);
    o.store(5, f32(0.1));
    o.store(6, h + f32(0.1));
    o.store(7, f64(0.1) + f32(0.1));
    o.store(8, a > 0 ? h : f32(2));
  },
);

export const implicitConversions: Case<'conversions/implicit'> = computeCase({
  id: 'conversions/implicit',
  mirrors: 'implicit conversions that lose nothing',
  requires: { scalars: ['i8', 'u8', 'i64', 'f16', 'f64'] },
  kernel: implicit,
  input: { type: 'i8', values: [-5] },
  expected: () => {
    const half = roundTo('f16', 0.1);
    const single = Math.fround(0.1);
    const integers = [-5n, 251n, 2n ** 32n - 5n, 2n];
    const doubles = [half, single, Math.fround(half + single), 0.1 + single, 2];
    const bits = doubles.map((x) => new BigInt64Array(new Float64Array([x]).buffer)[0] ?? 0n);
    return { type: 'i64', values: [...integers, ...bits] };
  },
});

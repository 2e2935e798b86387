import { bf16, f16, f32, f64, i16, i32, i64, i8, kernel, u16, u32, u64, u8, type ScalarParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots, type SlotKernel } from '../fixture/compute-case.ts';
import { bitsOf, integerKinds, leastOf, mostOf, samplesOf, wrapTo, type IntegerKind } from '../fixture/integers.ts';
import { roundTo } from '../fixture/round-float.ts';

type IntegerParam = ScalarParam<IntegerKind, unknown>;

function intoAll(T: IntegerParam): SlotKernel {
  return kernel(
    { name: `from_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, i8, u8, i16, u16, i32, u32, i64, u64 }, { input, out }) => {
      const i = threadIdx.x;
      const a = lsa.localPointer(input, T, 0).load(i);
      const o = lsa.localPointer(out, i64, 0).offset(8 * i);
      o.store(0, i64(i8(a)));
      o.store(1, i64(u8(a)));
      o.store(2, i64(i16(a)));
      o.store(3, i64(u16(a)));
      o.store(4, i64(i32(a)));
      o.store(5, i64(u32(a)));
      o.store(6, i64(a));
      o.store(7, i64(u64(a)));
    },
  );
}

function widening<const Id extends string>(id: Id, T: IntegerParam): Case<Id> {
  const samples = samplesOf(T.scalar);
  return computeCase({
    id,
    mirrors: 'static_cast between integers: the value modulo 2^N',
    requires: { scalars: integerKinds },
    kernel: intoAll(T),
    block: samples.length,
    input: { type: T.scalar, values: samples },
    expected: () => ({
      type: 'i64',
      values: samples.flatMap((a) => integerKinds.map((kind) => wrapTo('i64', wrapTo(kind, a)))),
    }),
  });
}

export const fromI8: Case<'conversions/from-i8'> = widening('conversions/from-i8', i8);
export const fromU8: Case<'conversions/from-u8'> = widening('conversions/from-u8', u8);
export const fromI16: Case<'conversions/from-i16'> = widening('conversions/from-i16', i16);
export const fromU16: Case<'conversions/from-u16'> = widening('conversions/from-u16', u16);
export const fromI32: Case<'conversions/from-i32'> = widening('conversions/from-i32', i32);
export const fromU32: Case<'conversions/from-u32'> = widening('conversions/from-u32', u32);
export const fromI64: Case<'conversions/from-i64'> = widening('conversions/from-i64', i64);
export const fromU64: Case<'conversions/from-u64'> = widening('conversions/from-u64', u64);

const floats = [
  0,
  -0,
  0.4,
  -0.4,
  0.5,
  0.99,
  -0.99,
  1.5,
  -1.5,
  126.9,
  127.5,
  -128.9,
  -129,
  255.9,
  256,
  32767.9,
  -32769,
  65536.5,
  2 ** 31,
  -(2 ** 31),
  2 ** 31 - 128,
  2 ** 32,
  -(2 ** 32),
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  -(2 ** 70),
  3e38,
  Infinity,
  -Infinity,
  NaN,
];

function fromFloatKernel(T: ScalarParam<'f16' | 'bf16' | 'f32' | 'f64', unknown>): SlotKernel {
  return kernel(
    { name: `truncate_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, i8, u8, i16, u16, i32, u32, i64, u64 }, { input, out }) => {
      const i = threadIdx.x;
      const a = lsa.localPointer(input, T, 0).load(i);
      const o = lsa.localPointer(out, i64, 0).offset(8 * i);
      o.store(0, i64(i8(a)));
      o.store(1, i64(u8(a)));
      o.store(2, i64(i16(a)));
      o.store(3, i64(u16(a)));
      o.store(4, i64(i32(a)));
      o.store(5, i64(u32(a)));
      o.store(6, i64(a));
      o.store(7, i64(u64(a)));
    },
  );
}

/** Rounds toward zero, and then to the nearest value of the type. NaN becomes 0. */
function saturated(kind: IntegerKind, x: number): bigint {
  if (Number.isNaN(x)) return 0n;
  if (x === Infinity) return mostOf(kind);
  if (x === -Infinity) return leastOf(kind);
  const whole = BigInt(Math.trunc(x));
  if (whole > mostOf(kind)) return mostOf(kind);
  return whole < leastOf(kind) ? leastOf(kind) : whole;
}

function truncating<const Id extends string>(
  id: Id,
  T: ScalarParam<'f16' | 'bf16' | 'f32' | 'f64', unknown>,
): Case<Id> {
  const samples = floats.map((x) => roundTo(T.scalar, x));
  return computeCase({
    id,
    mirrors: 'cvt.rzi: float to integer conversion truncates, saturates, and gives 0 for NaN',
    requires: { scalars: T.scalar === 'f32' ? integerKinds : [...integerKinds, T.scalar] },
    kernel: fromFloatKernel(T),
    block: samples.length,
    input: { type: T.scalar, values: samples },
    expected: () => ({
      type: 'i64',
      values: samples.flatMap((x) => integerKinds.map((kind) => wrapTo('i64', saturated(kind, x)))),
    }),
  });
}

export const f16ToIntegers: Case<'conversions/f16-to-integers'> = truncating('conversions/f16-to-integers', f16);
export const bf16ToIntegers: Case<'conversions/bf16-to-integers'> = truncating('conversions/bf16-to-integers', bf16);
export const f32ToIntegers: Case<'conversions/f32-to-integers'> = truncating('conversions/f32-to-integers', f32);
export const f64ToIntegers: Case<'conversions/f64-to-integers'> = truncating('conversions/f64-to-integers', f64);

function toFloatKernel(T: IntegerParam): SlotKernel {
  return kernel(
    { name: `float_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, f16, bf16, f32 }, { input, out }) => {
      const i = threadIdx.x;
      const a = lsa.localPointer(input, T, 0).load(i);
      const o = lsa.localPointer(out, f32, 0).offset(3 * i);
      o.store(0, f32(a));
      o.store(1, f32(f16(a)));
      o.store(2, f32(bf16(a)));
    },
  );
}

/**
 * The nearest number of the format, computed from all digits of the integer. A double in between
 * would round twice.
 */
function floatOf(kind: 'f16' | 'bf16' | 'f32', value: bigint): number {
  const negative = value < 0n;
  const size = negative ? -value : value;
  const excess = Math.max(0, size.toString(2).length - 53);
  // The last bit of the double combines all further digits. That is enough to decide on which side
  // of the midpoint the value is.
  const rest = (size & ((1n << BigInt(excess)) - 1n)) === 0n ? 0n : 1n;
  const kept = excess === 0 ? size : ((size >> BigInt(excess)) | rest) << BigInt(excess);
  const rounded = roundTo(kind, Number(kept));
  return negative ? -rounded : rounded;
}

function rounding<const Id extends string>(id: Id, T: IntegerParam): Case<Id> {
  const kind = T.scalar;
  const odd = [
    16777217n,
    16777219n,
    -16777217n,
    33554435n,
    2049n,
    2051n,
    257n,
    259n,
    0x7fffffffffffffbfn,
    0x4000004000000001n,
    (1n << 40n) + (1n << 16n),
  ];
  const samples = [...samplesOf(kind), ...odd.map((value) => wrapTo(kind, value))];
  return computeCase({
    id,
    mirrors: 'cvt.rn: integer to float conversion rounds once, to nearest even',
    requires: { scalars: [...(bitsOf(kind) === 32 ? [] : [kind]), 'f16', 'bf16'] },
    kernel: toFloatKernel(T),
    block: samples.length,
    input: { type: kind, values: samples },
    expected: () => ({
      type: 'f32',
      values: samples.flatMap((value) => (['f32', 'f16', 'bf16'] as const).map((format) => floatOf(format, value))),
    }),
  });
}

export const i8ToFloats: Case<'conversions/i8-to-floats'> = rounding('conversions/i8-to-floats', i8);
export const u16ToFloats: Case<'conversions/u16-to-floats'> = rounding('conversions/u16-to-floats', u16);
export const i32ToFloats: Case<'conversions/i32-to-floats'> = rounding('conversions/i32-to-floats', i32);
export const u32ToFloats: Case<'conversions/u32-to-floats'> = rounding('conversions/u32-to-floats', u32);
export const i64ToFloats: Case<'conversions/i64-to-floats'> = rounding('conversions/i64-to-floats', i64);
export const u64ToFloats: Case<'conversions/u64-to-floats'> = rounding('conversions/u64-to-floats', u64);

import {
  bf16,
  e4m3,
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
  type ScalarParam,
  type VectorParam,
} from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { at as itemAt, type ScalarKind } from '@nccl-ts/core';
import type { Case } from '../../case.ts';
import { computeCase, slots, type SlotKernel } from '../fixture/compute-case.ts';
import { wrapTo, type IntegerKind } from '../fixture/integers.ts';
import { count, scrambled } from '../fixture/numbers.ts';
import { roundTo, type FloatKind } from '../fixture/round-float.ts';

/*
 * Each case has pairs of vectors (a, b) as input, and six vectors for each pair as output. They are
 * a copy, a sum, a product with a scalar, and a vector built of elements. The last two are a vector
 * with an element replaced, and one of a single repeated value.
 */

function vectorKernel(T: ScalarParam<ScalarKind, unknown>, V: VectorParam, width: number): SlotKernel {
  return kernel(
    { name: `vector_${T.scalar}_${width}`, use: { lsa, T, V, width }, params: slots },
    ({ lsa, T, V, width, threadIdx, lane, withLane, unroll, u32 }, { input, out }) => {
      const i = threadIdx.x;
      const given = lsa.localPointer(input, V, 0);
      const a = given.load(2 * i);
      const b = given.load(2 * i + 1);
      const o = lsa.localPointer(out, V, 0).offset(6 * i);
      o.store(0, a);
      o.store(1, a + b);
      o.store(2, a * T(3));
      // Element by element, the other way round.
      let reversed = V(T(0));
      for (const k of unroll(width)) reversed = withLane(reversed, width - 1 - k, lane(a, k));
      o.store(3, reversed);
      // An index known only at run time.
      o.store(4, withLane(b, i % u32(width), lane(a, (i + 1) % u32(width))));
      o.store(5, V(lane(b, 0)));
    },
  );
}

const pairs = 24;

function vectorCase<const Id extends string>(definition: {
  readonly id: Id;
  readonly T: ScalarParam<ScalarKind, unknown>;
  readonly V: VectorParam;
  readonly width: number;
  readonly values: readonly (number | bigint)[];
  readonly add: (a: number | bigint, b: number | bigint) => number | bigint;
  readonly triple: (a: number | bigint) => number | bigint;
}): Case<Id> {
  const { id, T, V, width, values, add, triple } = definition;
  const at = (index: number): readonly (number | bigint)[] => values.slice(index * width, (index + 1) * width);
  return computeCase({
    id,
    mirrors: 'vector types of up to 16 bytes, ld.global.v2 and v4',
    requires: { scalars: T.scalar === 'f32' || T.scalar === 'i32' || T.scalar === 'u32' ? [] : [T.scalar] },
    kernel: vectorKernel(T, V, width),
    block: pairs,
    input: { type: T.scalar, values },
    expected: () => ({
      type: T.scalar,
      values: count(pairs).flatMap((i) => {
        const a = at(2 * i);
        const b = at(2 * i + 1);
        const replaced = b.map((old, k) => (k === i % width ? itemAt(a, (i + 1) % width) : old));
        return [
          ...a,
          ...a.map((x, k) => add(x, itemAt(b, k))),
          ...a.map(triple),
          ...a.toReversed(),
          ...replaced,
          ...b.map(() => itemAt(b, 0)),
        ];
      }),
    }),
  });
}

function integers<const Id extends string>(
  id: Id,
  T: ScalarParam<IntegerKind, unknown>,
  width: 2 | 4 | 8 | 16,
): Case<Id> {
  const kind = T.scalar;
  const mixed = scrambled(pairs * 2 * width, width).map((x) => wrapTo(kind, BigInt(x) * 0x9e3779b97f4a7c15n));
  return vectorCase({
    id,
    T,
    V: vec(T, width),
    width,
    values: mixed,
    add: (a, b) => wrapTo(kind, BigInt(a) + BigInt(b)),
    triple: (a) => wrapTo(kind, BigInt(a) * 3n),
  });
}

function floats<const Id extends string>(id: Id, T: ScalarParam<FloatKind, unknown>, width: 2 | 4 | 8): Case<Id> {
  const kind = T.scalar;
  return vectorCase({
    id,
    T,
    V: vec(T, width),
    width,
    values: scrambled(pairs * 2 * width, width).map((x) => roundTo(kind, (x / 2 ** 31 - 0.5) * 100)),
    add: (a, b) => roundTo(kind, Number(a) + Number(b)),
    triple: (a) => roundTo(kind, Number(a) * 3),
  });
}

export const i8x16: Case<'vectors/i8x16'> = integers('vectors/i8x16', i8, 16);
export const u8x16: Case<'vectors/u8x16'> = integers('vectors/u8x16', u8, 16);
export const u8x4: Case<'vectors/u8x4'> = integers('vectors/u8x4', u8, 4);
export const i16x8: Case<'vectors/i16x8'> = integers('vectors/i16x8', i16, 8);
export const u16x2: Case<'vectors/u16x2'> = integers('vectors/u16x2', u16, 2);
export const i32x4: Case<'vectors/i32x4'> = integers('vectors/i32x4', i32, 4);
export const u32x2: Case<'vectors/u32x2'> = integers('vectors/u32x2', u32, 2);
export const u32x4: Case<'vectors/u32x4'> = integers('vectors/u32x4', u32, 4);
export const i64x2: Case<'vectors/i64x2'> = integers('vectors/i64x2', i64, 2);
export const u64x2: Case<'vectors/u64x2'> = integers('vectors/u64x2', u64, 2);
export const f16x8: Case<'vectors/f16x8'> = floats('vectors/f16x8', f16, 8);
export const bf16x2: Case<'vectors/bf16x2'> = floats('vectors/bf16x2', bf16, 2);
export const bf16x8: Case<'vectors/bf16x8'> = floats('vectors/bf16x8', bf16, 8);
export const f32x2: Case<'vectors/f32x2'> = floats('vectors/f32x2', f32, 2);
export const f32x4: Case<'vectors/f32x4'> = floats('vectors/f32x4', f32, 4);
export const f64x2: Case<'vectors/f64x2'> = floats('vectors/f64x2', f64, 2);

const operators = kernel(
  { name: 'vectorOperators', use: { lsa, F: vec(f32, 4), U: vec(u32, 4), H: vec(f16, 4) }, params: slots },
  ({ lsa, F, U, H, lane, min, max, abs, fma, math, f32, u32 }, { input, out }) => {
    const a = lsa.localPointer(input, F, 0).load(0);
    const b = lsa.localPointer(input, F, 0).load(1);
    const o = lsa.localPointer(out, F, 0);
    o.store(0, a - b);
    o.store(1, a / b);
    o.store(2, -a);
    o.store(3, min(a, b));
    o.store(4, max(a, b));
    o.store(5, abs(b));
    o.store(6, fma(a, b, a));
    o.store(7, math.floor(b));
    o.store(8, F(1, 2.5, f32(3), lane(a, 3)));
    o.store(9, F(U(a)) + F(0.5));
    o.store(10, F(H(a) * H(b)));
    o.store(11, a * 2 + 1);
    const u = U(lane(a, 0) > 0 ? 12 : 13);
    o.store(12, F((u << 2) | U(1)));
    o.store(13, F(u ^ U(0, 1, 2, u32(3))));
    let c = a;
    c += b;
    c *= 2;
    o.store(14, c);
  },
);

const left = [1.5, 2, 3.25, 100];
const right = [-0.5, 4, -8.75, 0.3].map(Math.fround);

export const vectorOperators: Case<'vectors/operators'> = computeCase({
  id: 'vectors/operators',
  mirrors: 'element-wise operators',
  requires: { scalars: ['f16'] },
  kernel: operators,
  input: { type: 'f32', values: [...left, ...right] },
  expected: () => {
    const r = Math.fround;
    const h = (x: number): number => roundTo('f16', x);
    const both = (f: (a: number, b: number) => number): readonly number[] =>
      left.map((a, k) => r(f(a, itemAt(right, k))));
    const rows = [
      both((a, b) => a - b),
      both((a, b) => a / b),
      both((a) => -a),
      both(Math.min),
      both(Math.max),
      both((_a, b) => Math.abs(b)),
      both((a, b) => a * b + a),
      both((_a, b) => Math.floor(b)),
      [1, 2.5, 3, 100],
      both((a) => Math.trunc(a) + 0.5),
      both((a, b) => h(h(a) * h(b))),
      both((a) => a * 2 + 1),
      [49, 49, 49, 49],
      [12, 13, 14, 15],
      both((a, b) => r(a + b) * 2),
    ];
    return { type: 'f32', values: rows.flat() };
  },
});

const float8Vectors = kernel(
  { name: 'float8Vectors', use: { lsa, V: vec(e4m3, 8), W: vec(e4m3, 16), H: vec(f16, 8) }, params: slots },
  ({ lsa, V, W, H }, { input, out }) => {
    const given = lsa.localPointer(input, V, 0);
    const o = lsa.localPointer(out, V, 0);
    o.store(0, given.load(1));
    o.store(1, V(given.load(0) + given.load(1)));
    o.store(2, V(H(given.load(0)) * 2));
    o.store(3, V(0));
    lsa.localPointer(out, W, 32).store(0, lsa.localPointer(input, W, 0).load(0));
  },
);

const eights = [1, 1.5, -2, 0.25, 100, -448, 0.015625, 7];
const others = [0.5, 3.5, -2, 0.125, 200, -10, 1, -7];

export const e4m3Vectors: Case<'vectors/e4m3'> = computeCase({
  id: 'vectors/e4m3',
  mirrors: '__nv_fp8x2_e4m3 and wider: computed in f16',
  requires: { scalars: ['e4m3', 'f16'] },
  kernel: float8Vectors,
  input: { type: 'e4m3', values: [...eights, ...others] },
  expected: () => {
    const e = (x: number): number => roundTo('e4m3', x);
    const given = [...eights, ...others].map(e);
    const [a, b] = [given.slice(0, 8), given.slice(8)];
    const sums = a.map((x, k) => e(roundTo('f16', x + itemAt(b, k))));
    return { type: 'e4m3', values: [...b, ...sums, ...a.map((x) => e(x * 2)), ...others.map(() => 0), ...given] };
  },
});

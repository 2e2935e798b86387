import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  bitcastBytes,
  isFault,
  isScalarValue,
  roundFloat,
  scalarBinary,
  scalarCompare,
  scalarConvert,
  scalarMath,
  scalarType,
  scalarUnary,
  vectorType,
  type BinaryOp,
  type ScalarValue,
} from '@nccl-ts/ir';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { exact, nearest, product, sum } from './support/exact.ts';

/** The quick tests have a fifth of the runs of each property. */
const runs = (all: number): number => (inject('slow') ? all : Math.ceil(all / 5));

const integerKinds = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64'] as const;
const floatKinds = ['f16', 'bf16', 'f32', 'f64'] as const;

function range(kind: ScalarKind): { min: bigint; max: bigint } {
  const { min, max } = scalarInfo[kind];
  if (min === undefined || max === undefined) throw new Error(`${kind} is no integer`);
  return { min, max };
}

function fromBigint(kind: ScalarKind, value: bigint): ScalarValue {
  return kind === 'i64' || kind === 'u64' ? value : Number(value);
}

const integer = (kind: ScalarKind): fc.Arbitrary<bigint> => {
  const { min, max } = range(kind);
  return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n, 1n, max - 1n, min + 1n));
};

/** Generates floats of `kind`, including edge cases. Narrower kinds have any bit pattern. */
const float = (kind: ScalarKind): fc.Arbitrary<number> =>
  fc
    .oneof(
      fc.float({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e5, max: 1e5 }),
      fc.integer({ min: -40, max: 40 }).map((exponent) => 2 ** exponent),
    )
    .map((value) => roundFloat(kind, value))
    .filter(Number.isFinite);

describe('integers', () => {
  const model: Readonly<Record<BinaryOp, (a: bigint, b: bigint, bits: bigint) => bigint>> = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b) => a / b,
    rem: (a, b) => a % b,
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    shl: (a, b, bits) => a << (BigInt.asUintN(8, b) % bits),
    shr: (a, b, bits) => a >> (BigInt.asUintN(8, b) % bits),
    min: (a, b) => (a < b ? a : b),
    max: (a, b) => (a > b ? a : b),
  };

  it.each(integerKinds.filter((_, i) => (i % 4 === 0) !== inject('slow')))('%s wraps exactly, modulo 2^N', (kind) => {
    const { bits, signed } = scalarInfo[kind];
    const wrap = (width: number, value: bigint): bigint =>
      signed ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);
    fc.assert(
      fc.property(integer(kind), integer(kind), (a, b) => {
        for (const op of Object.keys(model) as BinaryOp[]) {
          const found = scalarBinary(op, kind, fromBigint(kind, a), fromBigint(kind, b));
          if ((op === 'div' || op === 'rem') && b === 0n) expect(found).toBe('divisionByZero');
          else if ((op === 'div' || op === 'rem') && b === -1n && a === range(kind).min)
            expect(found).toBe('divisionOverflow');
          else expect(found, `${a} ${op} ${b}`).toBe(fromBigint(kind, wrap(bits, model[op](a, b, BigInt(bits)))));
        }
      }),
      { seed: 1, numRuns: runs(300) },
    );
  });

  it('count bits within the width of their type', () => {
    expect(scalarUnary('clz', 'u8', 1)).toBe(7);
    expect(scalarUnary('clz', 'i32', 0)).toBe(32);
    expect(scalarUnary('ctz', 'i64', 0n)).toBe(64n);
    expect(scalarUnary('ctz', 'i16', -32768)).toBe(15);
    expect(scalarUnary('popcount', 'i8', -1)).toBe(8);
    expect(scalarUnary('popcount', 'u64', 2n ** 64n - 1n)).toBe(64n);
    expect(scalarUnary('neg', 'i32', -(2 ** 31))).toBe(-(2 ** 31));
    expect(scalarUnary('bitNot', 'u32', 0)).toBe(2 ** 32 - 1);
    expect(Object.is(scalarUnary('neg', 'i32', 0), 0)).toBe(true);
  });

  it('abs wraps at the smallest value', () => {
    expect(scalarMath('abs', 'i8', [-128])).toBe(-128);
    expect(scalarMath('abs', 'i64', [-5n])).toBe(5n);
  });
});

describe('addresses', () => {
  it('are exact, and fault outside of their range', () => {
    expect(scalarBinary('add', 'addr', 2 ** 53 - 2, 1)).toBe(2 ** 53 - 1);
    expect(scalarBinary('add', 'addr', 2 ** 53 - 1, 1)).toBe('addressRange');
    expect(scalarBinary('mul', 'addr', 2 ** 27, 2 ** 26)).toBe('addressRange');
    expect(scalarBinary('sub', 'addr', 1, 2)).toBe('addressRange');
    expect(scalarConvert('i32', 'addr', -1)).toBe('addressRange');
    expect(scalarConvert('u64', 'addr', 2n ** 53n)).toBe('addressRange');
    expect(scalarConvert('u64', 'addr', 2n ** 53n - 1n)).toBe(2 ** 53 - 1);
  });

  it('support no other operation', () => {
    expect(() => scalarBinary('div', 'addr', 4, 2)).toThrowError(/no such operation/);
  });
});

describe('floats', () => {
  it.each(floatKinds)('%s rounds sums and products once', (kind) => {
    fc.assert(
      fc.property(float(kind), float(kind), (a, b) => {
        const added = nearest(kind, sum(exact(a), exact(b)));
        expect(Number(scalarBinary('add', kind, a, b)) + 0).toBe(added + 0);
        const multiplied = nearest(kind, product(exact(a), exact(b)));
        expect(Math.abs(Number(scalarBinary('mul', kind, a, b)))).toBe(Math.abs(multiplied));
      }),
      { seed: 2, numRuns: runs(500) },
    );
  });

  it.each(floatKinds.filter((_, i) => (i % 2 === 0) !== inject('slow')))('%s rounds fma once', (kind) => {
    fc.assert(
      fc.property(float(kind), float(kind), float(kind), (a, b, c) => {
        const expected = nearest(kind, sum(product(exact(a), exact(b)), exact(c)));
        expect(Number(scalarMath('fma', kind, [a, b, c])) + 0).toBe(expected + 0);
      }),
      { seed: 3, numRuns: runs(2000) },
    );
  });

  it('rounds fma once in cases where rounding twice would differ', () => {
    // The product is just above a tie of the sum. Rounding it to a double first would hide that.
    const [a, b, c] = [1 + 2 ** -12, 1 + 2 ** -12, 2 ** 24];
    expect(scalarMath('fma', 'f32', [a, b, c])).toBe(nearest('f32', sum(product(exact(a), exact(b)), exact(c))));
    expect(scalarMath('fma', 'f32', [2 ** -100, 2 ** -40, 1 + 2 ** -23])).toBe(1 + 2 ** -23);
    expect(scalarMath('fma', 'f64', [0.1, 10, -1])).toBe(2 ** -54);
    expect(scalarMath('fma', 'f64', [2 ** -1074, 0.5, 2 ** -1074])).toBe(2 * 2 ** -1074);
    expect(scalarMath('fma', 'f64', [1e308, 10, -Infinity])).toBe(-Infinity);
    expect(scalarMath('fma', 'f64', [1e308, 10, -1e308])).toBe(Infinity);
    expect(Object.is(scalarMath('fma', 'f64', [-0, 1, -0]), -0)).toBe(true);
    expect(Object.is(scalarMath('fma', 'f64', [1, 1, -1]), 0)).toBe(true);
    expect(scalarMath('fma', 'f32', [Infinity, 0, 1])).toBeNaN();
  });

  it('min and max ignore NaN and know the sign of zero', () => {
    expect(scalarBinary('min', 'f32', NaN, 1)).toBe(1);
    expect(scalarBinary('max', 'f32', 1, NaN)).toBe(1);
    expect(Object.is(scalarBinary('min', 'f32', 0, -0), -0)).toBe(true);
    expect(Object.is(scalarBinary('max', 'f32', -0, 0), 0)).toBe(true);
  });

  it('compare as IEEE 754 says', () => {
    expect(scalarCompare('eq', NaN, NaN)).toBe(false);
    expect(scalarCompare('ne', NaN, NaN)).toBe(true);
    expect(scalarCompare('le', NaN, 1)).toBe(false);
    expect(scalarCompare('eq', 0, -0)).toBe(true);
  });

  it('round to whole numbers, ties to even', () => {
    const cases: readonly (readonly [number, number])[] = [
      [0.5, 0],
      [1.5, 2],
      [2.5, 2],
      [-0.5, -0],
      [-2.5, -2],
      [-0.2, -0],
      [0.49999999999999994, 0],
      [2 ** 52 + 1, 2 ** 52 + 1],
    ];
    for (const [value, rounded] of cases) expect(scalarMath('round', 'f64', [value])).toBe(rounded);
    expect(scalarMath('round', 'f64', [NaN])).toBeNaN();
  });

  it('compute pow as C does', () => {
    expect(scalarMath('pow', 'f64', [1, NaN])).toBe(1);
    expect(scalarMath('pow', 'f64', [-1, Infinity])).toBe(1);
    expect(scalarMath('pow', 'f32', [2, 0.5])).toBe(Math.fround(Math.SQRT2));
  });

  it('have no arithmetic in 8 bits', () => {
    expect(() => scalarBinary('add', 'e4m3', 1, 1)).toThrowError(/no such operation/);
  });
});

describe('conversions', () => {
  it.each(integerKinds)('to %s wrap integers and saturate floats', (kind) => {
    const { min, max } = range(kind);
    const { bits, signed } = scalarInfo[kind];
    fc.assert(
      fc.property(integer('i64'), (value) => {
        const wrapped = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
        expect(scalarConvert('i64', kind, value)).toBe(fromBigint(kind, wrapped));
      }),
      { seed: 4, numRuns: runs(200) },
    );
    expect(scalarConvert('f32', kind, Infinity)).toBe(fromBigint(kind, max));
    expect(scalarConvert('f32', kind, -Infinity)).toBe(fromBigint(kind, min));
    expect(scalarConvert('f64', kind, NaN)).toBe(fromBigint(kind, 0n));
    expect(scalarConvert('f64', kind, -0.9)).toBe(fromBigint(kind, 0n));
    expect(scalarConvert('f64', kind, 100.9)).toBe(fromBigint(kind, 100n));
  });

  it.each(floatKinds)('from 64-bit integers to %s round once', (kind) => {
    fc.assert(
      fc.property(integer('u64'), (value) => {
        expect(scalarConvert('u64', kind, value)).toBe(nearest(kind, { significand: value, exponent: 0 }));
      }),
      { seed: 5, numRuns: runs(500) },
    );
    // Just above a tie of f32, by bits that a double lacks.
    expect(scalarConvert('i64', 'f32', 2n ** 62n + 2n ** 38n + 1n)).toBe(2 ** 62 + 2 ** 39);
  });

  it('to 8-bit floats saturate', () => {
    expect(scalarConvert('f32', 'e4m3', 1e9)).toBe(448);
    expect(scalarConvert('f32', 'e5m2', -Infinity)).toBe(-57344);
    expect(scalarConvert('i32', 'f16', 70000)).toBe(Infinity);
  });

  it('to bool compare with zero', () => {
    expect(scalarConvert('f32', 'bool', NaN)).toBe(true);
    expect(scalarConvert('f32', 'bool', -0)).toBe(false);
    expect(scalarConvert('i64', 'bool', 2n)).toBe(true);
    expect(scalarConvert('bool', 'u64', true)).toBe(1n);
  });
});

describe('values', () => {
  it('are in the range and JavaScript type of their IR type, and rounded', () => {
    expect(isScalarValue('u8', 255)).toBe(true);
    expect(isScalarValue('u8', 256)).toBe(false);
    expect(isScalarValue('i32', -0)).toBe(false);
    expect(isScalarValue('i64', 1)).toBe(false);
    expect(isScalarValue('f32', 0.1)).toBe(false);
    expect(isScalarValue('f32', NaN)).toBe(true);
    expect(isScalarValue('bool', 1)).toBe(false);
    expect(isScalarValue('addr', 2 ** 53)).toBe(false);
  });

  it('are reinterpreted byte by byte', () => {
    expect(bitcastBytes(scalarType('f32'), scalarType('u32'), [1])).toEqual([0x3f800000]);
    expect(bitcastBytes(vectorType('u16', 4), scalarType('u64'), [1, 2, 3, 4])).toEqual([0x0004000300020001n]);
    expect(bitcastBytes(scalarType('u16'), scalarType('bf16'), [0x3f80])).toEqual([1]);
    expect(bitcastBytes(scalarType('i16'), scalarType('f16'), [-0x8000])).toEqual([-0]);
    expect(isFault(bitcastBytes(scalarType('i8'), scalarType('e4m3'), [0x38]))).toBe(false);
  });
});

import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import {
  bf16ToNumber,
  e4m3DecodeTable,
  e4m3ToNumber,
  e5m2DecodeTable,
  e5m2ToNumber,
  f16DecodeTable,
  f16ToNumber,
  numberToBf16,
  numberToE4m3,
  numberToE5m2,
  numberToF16,
  roundToBf16,
  roundToE4m3,
  roundToE5m2,
  roundToF16,
  scalarInfo,
} from '@nccl-ts/core';

/** The quick tests have a fifth of the runs of each property. */
const runs = (all: number): number => (inject('slow') ? all : Math.ceil(all / 5));

interface Format {
  readonly name: 'f16' | 'bf16' | 'e4m3' | 'e5m2';
  readonly bits: number;
  readonly mantissaBits: number;
  readonly bias: number;
  /** The pattern of the largest finite value. */
  readonly top: number;
  /** The result of overflow, as a pattern. */
  readonly overflow: number;
  readonly nan: number;
  readonly infinity: number | undefined;
  readonly toNumber: (bits: number) => number;
  readonly fromNumber: (x: number) => number;
  readonly round: (x: number) => number;
}

const formats: readonly Format[] = [
  {
    name: 'f16',
    bits: 16,
    mantissaBits: 10,
    bias: 15,
    top: 0x7bff,
    overflow: 0x7c00,
    nan: 0x7fff,
    infinity: 0x7c00,
    toNumber: f16ToNumber,
    fromNumber: numberToF16,
    round: roundToF16,
  },
  {
    name: 'bf16',
    bits: 16,
    mantissaBits: 7,
    bias: 127,
    top: 0x7f7f,
    overflow: 0x7f80,
    nan: 0x7fff,
    infinity: 0x7f80,
    toNumber: bf16ToNumber,
    fromNumber: numberToBf16,
    round: roundToBf16,
  },
  {
    name: 'e4m3',
    bits: 8,
    mantissaBits: 3,
    bias: 7,
    top: 0x7e,
    overflow: 0x7e,
    nan: 0x7f,
    infinity: undefined,
    toNumber: e4m3ToNumber,
    fromNumber: numberToE4m3,
    round: roundToE4m3,
  },
  {
    name: 'e5m2',
    bits: 8,
    mantissaBits: 2,
    bias: 15,
    top: 0x7b,
    overflow: 0x7b,
    nan: 0x7f,
    infinity: 0x7c,
    toNumber: e5m2ToNumber,
    fromNumber: numberToE5m2,
    round: roundToE5m2,
  },
];

/** The value of a positive pattern up to `top`, by the definition of a binary float. */
function valueOf(format: Format, bits: number): number {
  const mantissa = bits % 2 ** format.mantissaBits;
  const exponent = (bits - mantissa) / 2 ** format.mantissaBits;
  return exponent === 0
    ? mantissa * 2 ** (1 - format.bias - format.mantissaBits)
    : (1 + mantissa / 2 ** format.mantissaBits) * 2 ** (exponent - format.bias);
}

/** The double next to the positive `x`, away from zero (1) or towards it (-1). */
function neighbour(x: number, direction: 1 | -1): number {
  const view = new BigInt64Array(new Float64Array([x]).buffer);
  view[0] = (view[0] ?? 0n) + BigInt(direction);
  return new Float64Array(view.buffer)[0] ?? NaN;
}

/**
 * Fails at the first mistake, not with thousands of them. Tests both signs, which differ only in
 * the sign bit.
 */
function expectRounding(format: Format, x: number, bits: number): void {
  const negative = bits + 2 ** (format.bits - 1);
  const value = format.toNumber(bits);
  const right =
    format.fromNumber(x) === bits &&
    format.fromNumber(-x) === negative &&
    Object.is(format.round(x), value) &&
    Object.is(format.round(-x), -value);
  if (right) return;
  expect({ x, results: [format.fromNumber(x), format.fromNumber(-x), format.round(x), format.round(-x)] }).toEqual({
    x,
    results: [bits, negative, value, -value],
  });
}

describe.each(formats)('$name', (format) => {
  it('decodes every finite pattern to its value, with both signs', () => {
    const wrong: number[] = [];
    for (let bits = 0; bits <= format.top; bits++) {
      const value = valueOf(format, bits);
      const negative = bits + 2 ** (format.bits - 1);
      if (!Object.is(format.toNumber(bits), value)) wrong.push(bits);
      if (!Object.is(format.toNumber(negative), -value)) wrong.push(negative);
    }
    expect(wrong).toEqual([]);
  });

  it('decodes every other pattern to an infinity or NaN', () => {
    const sign = 2 ** (format.bits - 1);
    for (let bits = format.top + 1; bits < sign; bits++) {
      const expected = bits === format.infinity ? Infinity : NaN;
      expect([bits, format.toNumber(bits), format.toNumber(bits + sign)]).toEqual([bits, expected, -expected]);
    }
  });

  it('encodes every finite value to its pattern', () => {
    for (let bits = 0; bits <= format.top; bits++) expectRounding(format, valueOf(format, bits), bits);
  });

  it('rounds to the nearest on both sides of every midpoint, and midpoints to even', () => {
    for (let bits = 0; bits < format.top; bits++) {
      const middle = (valueOf(format, bits) + valueOf(format, bits + 1)) / 2;
      expectRounding(format, middle, bits % 2 === 0 ? bits : bits + 1);
      expectRounding(format, neighbour(middle, -1), bits);
      expectRounding(format, neighbour(middle, 1), bits + 1);
    }
  });

  it('overflows if the next value would be nearer', () => {
    const top = valueOf(format, format.top);
    const step = top - valueOf(format, format.top - 1);
    expectRounding(format, neighbour(top + step / 2, -1), format.top);
    for (const x of [top + step / 2, neighbour(top + step / 2, 1), top + step, 2 * top + 2 * step, 1e300, Infinity]) {
      expectRounding(format, x, format.overflow);
    }
  });

  it('underflows to a zero of the same sign', () => {
    for (const x of [0, 5e-324, 2 ** -1022, valueOf(format, 1) / 2]) expectRounding(format, x, 0);
    expectRounding(format, neighbour(valueOf(format, 1) / 2, 1), 1);
  });

  it('encodes NaN as the canonical NaN', () => {
    expect(format.fromNumber(NaN)).toBe(format.nan);
    expect(format.round(NaN)).toBeNaN();
    expect(format.toNumber(format.nan)).toBeNaN();
  });

  it('rounds values as it rounds patterns', () => {
    fc.assert(
      fc.property(fc.double(), (x) => {
        expect(format.round(x)).toBe(format.toNumber(format.fromNumber(x)));
      }),
      { seed: 1, numRuns: runs(2000) },
    );
  });

  it('rounds monotonically, to the nearest value', () => {
    const range = fc.double({
      min: -2 * valueOf(format, format.top),
      max: 2 * valueOf(format, format.top),
      noNaN: true,
    });
    fc.assert(
      fc.property(range, range, (a, b) => {
        expect(format.round(Math.min(a, b))).toBeLessThanOrEqual(format.round(Math.max(a, b)));
      }),
      { seed: 2, numRuns: runs(2000) },
    );
  });

  it('agrees with scalarInfo', () => {
    const info = scalarInfo[format.name];
    expect(info.bits).toBe(format.bits);
    if (info.class !== 'float') expect.fail(`${format.name} is no float`);
    expect(info.maxFinite).toBe(valueOf(format, format.top));
    expect(info.minSubnormal).toBe(valueOf(format, 1));
    expect(info.minNormal).toBe(valueOf(format, 2 ** format.mantissaBits));
    expect(info.significandBits).toBe(format.mantissaBits + 1);
  });
});

it('uses the published patterns of some values', () => {
  expect([1, -2, 65504, 2 ** -24, 2 ** -14, 1 / 3].map(numberToF16)).toEqual([
    0x3c00, 0xc000, 0x7bff, 1, 0x400, 0x3555,
  ]);
  expect([1, -2, Math.PI, 2 ** -133].map(numberToBf16)).toEqual([0x3f80, 0xc000, 0x4049, 1]);
  expect([1, -448, 2 ** -9, 2 ** -6, Infinity, 464].map(numberToE4m3)).toEqual([0x38, 0xfe, 1, 8, 0x7e, 0x7e]);
  expect([1, 57344, 2 ** -16, -Infinity, 61440].map(numberToE5m2)).toEqual([0x3c, 0x7b, 1, 0xfb, 0x7b]);
});

it('rounds doubles once, without rounding to f32 first', () => {
  // Just above the midpoint of 1 and the next f16. As an f32 it is the midpoint itself.
  const x = 1 + 2 ** -11 + 2 ** -40;
  expect(numberToF16(x)).toBe(0x3c01);
  expect(numberToF16(Math.fround(x))).toBe(0x3c00);
});

it('has a decode table for each pattern of f16, e4m3 and e5m2', () => {
  for (const [table, toNumber] of [
    [f16DecodeTable(), f16ToNumber],
    [e4m3DecodeTable(), e4m3ToNumber],
    [e5m2DecodeTable(), e5m2ToNumber],
  ] as const) {
    expect(table.every((value, bits) => Object.is(value, toNumber(bits)))).toBe(true);
  }
  expect(f16DecodeTable().length).toBe(0x10000);
  expect(f16DecodeTable()).toBe(f16DecodeTable());
  expect(e4m3DecodeTable().length).toBe(256);
  expect(e5m2DecodeTable().length).toBe(256);
});

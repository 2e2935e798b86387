import { describe, it } from 'vitest';
import { expectRight, type Row } from './support/rows.ts';
import { decode, formats, rounded, type Decoded } from './support/soft-float.ts';

/** The values of the codes without a sign, from the tables of the OCP microscaling formats. */
const e2m1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
const e2m3 = [
  0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875, 2, 2.25, 2.5, 2.75, 3,
  3.25, 3.5, 3.75, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5,
];
const e3m2 = [
  0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625, 0.75, 0.875, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4,
  5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28,
];

const tables = { e2m1x2: e2m1, e2m3x2: e2m3, e3m2x2: e3m2 } as const;
type Small = keyof typeof tables;
const small: readonly Small[] = ['e2m1x2', 'e2m3x2', 'e3m2x2'];

function numberOf(value: Decoded): { readonly size: number; readonly isNegative: boolean } {
  if (value === 'nan') return { size: Number.NaN, isNegative: false };
  const { isNegative } = value;
  if (!('magnitude' in value)) return { size: Number.POSITIVE_INFINITY, isNegative };
  return { size: Number(value.magnitude) * 2 ** value.scale, isNegative };
}

/** The code of the nearest value, found by comparing with all. A tie goes to the even code. */
function codeOf(type: Small, value: Decoded, mode: 'rn' | 'rz'): bigint {
  const table = tables[type];
  const { size, isNegative } = numberOf(value);
  const sign = isNegative ? BigInt(table.length) : 0n;
  if (Number.isNaN(size)) return BigInt(table.length - 1);
  let best = 0;
  table.forEach((one, code) => {
    if (mode === 'rz') {
      if (one <= size) best = code;
      return;
    }
    const [now, before] = [Math.abs(one - size), Math.abs((table[best] ?? 0) - size)];
    if (size > (table.at(-1) ?? 0) || now < before || (now === before && code % 2 === 0)) best = code;
  });
  return sign | BigInt(best);
}

const widthOf = (type: Small): bigint => (type === 'e2m1x2' ? 4n : 8n);

function narrowing(type: Small, mode: 'rn' | 'rz'): readonly Row[] {
  const pair = (low: bigint, high: bigint): bigint => low | (high << widthOf(type));
  const relu = (bits: bigint, sign: bigint, most: bigint): bigint => (bits >= sign && bits <= most ? 0n : bits);
  return [
    {
      text: `cvt.${mode}.satfinite.${type}.f32 %hx, %f1, %f2`,
      wants: (a = 0n, b = 0n) =>
        pair(codeOf(type, decode(b, formats.f32), mode), codeOf(type, decode(a, formats.f32), mode)),
      also: tables[type].flatMap((value, code) =>
        [value, ((tables[type][code + 1] ?? 100) + value) / 2].flatMap((one) => [
          [f32(one), f32(-one)],
          [f32(-one) + 1n, f32(one) + 1n],
        ]),
      ),
    },
    {
      text: `cvt.${mode}.satfinite.relu.${type}.f32 %hx, %f1, %f2`,
      wants: (a = 0n, b = 0n) =>
        pair(
          codeOf(type, decode(relu(b, 0x80000000n, 0xff800000n), formats.f32), mode),
          codeOf(type, decode(relu(a, 0x80000000n, 0xff800000n), formats.f32), mode),
        ),
    },
    ...(['f16', 'bf16'] as const).map((half): Row => ({
      text: `cvt.${mode}.satfinite.${type}.${half}x2 %hx, %r1`,
      wants: (a = 0n) =>
        pair(
          codeOf(type, decode(a & 0xffffn, formats[half]), mode),
          codeOf(type, decode(a >> 16n, formats[half]), mode),
        ),
    })),
  ];
}

const word = new DataView(new ArrayBuffer(4));
function f32(value: number): bigint {
  word.setFloat32(0, value);
  return BigInt(word.getUint32(0));
}

function widening(type: Small, half: 'f16' | 'bf16'): Row {
  const one = (code: bigint): bigint => {
    const table = tables[type];
    const value = table[Number(code) % table.length] ?? 0;
    const bits = rounded(decode(f32(value), formats.f32), formats[half], 'rn');
    return code >= BigInt(table.length) && code < BigInt(2 * table.length) ? bits | 0x8000n : bits;
  };
  const mask = type === 'e2m1x2' ? 15n : 63n;
  return {
    text: `and.b16 %hy, %h1, ${mask | (mask << widthOf(type))}; cvt.rn.${half}x2.${type} %rx, %hy`,
    wants: (a = 0n) => {
      const pair = a & (mask | (mask << widthOf(type)));
      return [pair, one(pair & mask) | (one((pair >> widthOf(type)) & mask) << 16n)];
    },
    also: Array.from({ length: 64 }, (_, code) => [BigInt(code) | (BigInt(63 - code) << widthOf(type))]),
  };
}

describe('floats of 4 and 6 bits', () => {
  it('are the nearest ones of their tables', async () => {
    await expectRight(small.flatMap((type) => [...narrowing(type, 'rn'), ...narrowing(type, 'rz')]));
  });

  it('become halves exactly', async () => {
    await expectRight(small.flatMap((type) => [widening(type, 'f16'), widening(type, 'bf16')]));
  });
});

describe('exponents of 8 bits', () => {
  /** The exponent of the largest power of two that is not larger, or of the least not smaller. */
  const exponent = (bits: bigint, mode: 'rz' | 'rp', isFinite: boolean): bigint => {
    const { size } = numberOf(decode(bits, formats.f32));
    if (Number.isNaN(size)) return 255n;
    if (size === Number.POSITIVE_INFINITY) return isFinite ? 254n : 255n;
    let code = 0;
    while (code < 255 && (mode === 'rz' ? 2 ** (code - 126) <= size : 2 ** (code - 127) < size)) code++;
    return BigInt(isFinite && code === 255 ? 254 : code);
  };

  it('are powers of two', async () => {
    await expectRight([
      ...(['rz', 'rp'] as const).flatMap((mode) =>
        ['', '.satfinite'].flatMap((limit): readonly Row[] => [
          {
            text: `cvt.${mode}${limit}.ue8m0x2.f32 %hx, %f1, %f2`,
            wants: (a = 0n, b = 0n) => exponent(b, mode, limit !== '') | (exponent(a, mode, limit !== '') << 8n),
            also: [0x400000n, 0x400001n, 0x3fffffn, 0x800000n, 0x7f000001n, 0x7f7fffffn, 0x7f800000n].map((bits) => [
              bits,
              bits | 0x80000000n,
            ]),
          },
          {
            text: `cvt.${mode}${limit}.ue8m0x2.bf16x2 %hx, %r1`,
            wants: (a = 0n) =>
              exponent((a & 0xffffn) << 16n, mode, limit !== '') |
              (exponent((a >> 16n) << 16n, mode, limit !== '') << 8n),
          },
        ]),
      ),
      {
        text: 'cvt.rn.bf16x2.ue8m0x2 %rx, %h1',
        wants: (a = 0n) => {
          const one = (code: bigint): bigint =>
            code === 255n ? 0x7fffn : rounded(decode(f32(2 ** (Number(code) - 127)), formats.f32), formats.bf16, 'rn');
          return one(a & 255n) | (one(a >> 8n) << 16n);
        },
        also: [[0xff00n], [0x01fen], [0x7f80n]],
      },
    ]);
  });
});

describe('tf32', () => {
  const tf32 = { exponent: 8, fraction: 10 };

  it('rounds a float to ten bits of fraction', async () => {
    const wide = (bits: bigint): bigint => bits << 13n;
    const isNaN = (bits: bigint): boolean => (bits & 0x7fffffffn) > 0x7f800000n;
    const away = (bits: bigint): bigint => {
      if ((bits & 0x7fffffffn) >= 0x7f800000n) return bits;
      const low = (bits >> 13n) << 13n;
      return bits - low >= 0x1000n ? low + 0x2000n : low;
    };
    await expectRight([
      ...(['rn', 'rz'] as const).map((mode): Row => ({
        text: `cvt.${mode}.tf32.f32 %rx, %f1`,
        wants: (a = 0n) => (isNaN(a) ? 0x7fffffffn : wide(rounded(decode(a, formats.f32), tf32, mode))),
      })),
      { text: 'cvt.rna.tf32.f32 %rx, %f1', wants: (a = 0n) => (isNaN(a) ? 0x7fffffffn : away(a)) },
      {
        text: 'cvt.rna.satfinite.tf32.f32 %rx, %f1',
        wants: (a = 0n) => {
          if (isNaN(a)) return 0x7fffffffn;
          const bits = away(a);
          return (bits & 0x7fffffffn) < 0x7f800000n ? bits : (bits & 0x80000000n) | 0x7f7fe000n;
        },
      },
    ]);
  });
});

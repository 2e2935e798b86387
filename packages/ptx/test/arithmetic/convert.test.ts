import { describe, inject, it } from 'vitest';
import { expectRight, type Row } from './support/rows.ts';
import {
  decode,
  encode,
  formats,
  infinity,
  isNaNOf,
  nan,
  rounded,
  signBit,
  whole,
  type Format,
  type Mode,
} from './support/soft-float.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

type Name = keyof typeof formats;
const names = ['f16', 'bf16', 'f32', 'f64'] as const;
const letters = { f16: 'h', bf16: 'h', f32: 'f', f64: 'fd' } as const;
const modes: readonly Mode[] = ['rn', 'rz', 'rm', 'rp'];
const integers = ['u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'] as const;
type Integer = (typeof integers)[number];

const bitsOf = (type: string): number => Number(type.slice(1));
const letterOf = (type: Integer): string => ({ 8: 'h', 16: 'h', 32: 'r', 64: 'rd' })[bitsOf(type)] ?? 'r';
const registerBits = (type: Integer): number => Math.max(16, bitsOf(type));
const valueOf = (type: Integer, bits: bigint): bigint =>
  type.startsWith('s') ? BigInt.asIntN(bitsOf(type), bits) : BigInt.asUintN(bitsOf(type), bits);
const least = (type: Integer): bigint => (type.startsWith('s') ? -(1n << BigInt(bitsOf(type) - 1)) : 0n);
const most = (type: Integer): bigint => least(type) + (1n << BigInt(bitsOf(type))) - 1n;
const cut = (type: Integer, value: bigint): bigint =>
  value < least(type) ? least(type) : value > most(type) ? most(type) : value;
const inRegister = (type: Integer, value: bigint): bigint => BigInt.asUintN(registerBits(type), valueOf(type, value));

function toInteger(mode: 'rni' | 'rzi' | 'rmi' | 'rpi', target: Integer, name: Name): Row {
  const wants = (bits = 0n): bigint => {
    const value = decode(bits, formats[name]);
    if (value === 'nan') {
      const isWide = name === 'f64' || bitsOf(target) === 64;
      return isWide ? inRegister(target, 1n << BigInt(bitsOf(target) - 1)) : 0n;
    }
    if (!('magnitude' in value)) return inRegister(target, value.isNegative ? least(target) : most(target));
    return inRegister(target, cut(target, whole(value, mode)));
  };
  const nans = { f16: 0x7e00n, bf16: 0x7fc0n, f32: 0x7fc00000n, f64: 0x7ff8000000000000n };
  return {
    text: `cvt.${mode}.${target}.${name} %${letterOf(target)}x, %${letters[name]}1`,
    wants,
    also: [[nans[name]]],
  };
}

function fromInteger(mode: Mode, name: Name, source: Integer): Row {
  const wants = (bits = 0n): bigint => {
    const value = valueOf(source, bits);
    return encode({ isNegative: value < 0n, magnitude: value < 0n ? -value : value, scale: 0 }, formats[name], mode);
  };
  return {
    text: `cvt.${mode}.${name}.${source} %${letters[name]}x, %${letterOf(source)}1`,
    wants,
    float: formats[name],
  };
}

function between(mode: Mode | undefined, target: Name, source: Name): Row {
  const words = ['cvt', ...(mode === undefined ? [] : [mode]), target, source];
  return {
    text: `${words.join('.')} %${letters[target]}x, %${letters[source]}1`,
    wants: (bits = 0n) => rounded(decode(bits, formats[source]), formats[target], mode ?? 'rn'),
    float: formats[target],
  };
}

const e4m3 = { exponent: 4, fraction: 3 };

/** The eight bits of a float with `.satfinite`. */
function narrow8(type: 'e4m3' | 'e5m2', value: bigint, from: Format): bigint {
  const exact = decode(value, from);
  if (exact === 'nan') return 0x7fn;
  const largest = type === 'e4m3' ? 0x7en : 0x7bn;
  const sign = exact.isNegative ? 0x80n : 0n;
  if (!('magnitude' in exact)) return sign | largest;
  // e4m3 has numbers where other formats have infinities. A wider exponent shows how large the
  // result is.
  const format = type === 'e4m3' ? { exponent: 5, fraction: 3 } : { exponent: 5, fraction: 2 };
  if (type === 'e5m2') {
    const bits = encode({ ...exact, isNegative: false }, format, 'rn');
    return sign | (bits > largest ? largest : bits);
  }
  // The biases of 4-bit and 5-bit exponents differ by 8.
  const scaled = { ...exact, isNegative: false };
  const limit = encode(scaled, { exponent: 8, fraction: 3 }, 'rn');
  const small = encode(scaled, e4m3, 'rn');
  return sign | (limit > 0x43en ? largest : small >= 0x78n ? 0x78n + (limit & 7n) : small);
}

function wide8(type: 'e4m3' | 'e5m2', bits: bigint): bigint {
  if (type === 'e5m2') return rounded(decode(bits, { exponent: 5, fraction: 2 }), formats.f16, 'rn');
  const size = bits & 0x7fn;
  if (size === 0x7fn) return nan(formats.f16);
  if (size < 0x78n) return rounded(decode(bits, e4m3), formats.f16, 'rn');
  const exact = { isNegative: bits > 0x7fn, magnitude: 8n + (size & 7n), scale: 5 };
  return encode(exact, formats.f16, 'rn');
}

describe('conversions', () => {
  it.for(slow)('between integers', async () => {
    await expectRight(
      integers.flatMap((target) =>
        integers.flatMap((source) => [
          {
            text: `cvt.${target}.${source} %${letterOf(target)}x, %${letterOf(source)}1`,
            wants: (bits: bigint) => inRegister(target, valueOf(source, bits)),
          },
          {
            text: `cvt.sat.${target}.${source} %${letterOf(target)}x, %${letterOf(source)}1`,
            wants: (bits: bigint) => inRegister(target, cut(target, valueOf(source, bits))),
          },
        ]),
      ),
    );
  });

  it.for(quick)('of floats to integers', async () => {
    const ways = ['rni', 'rzi', 'rmi', 'rpi'] as const;
    await expectRight([
      ...ways.flatMap((mode) => integers.map((target) => toInteger(mode, target, 'f32'))),
      ...integers.map((target) => toInteger('rzi', target, 'f64')),
      ...ways.flatMap((mode) => [toInteger(mode, 's32', 'f16'), toInteger(mode, 'u64', 'f64')]),
    ]);
  });

  it.for(slow)('of integers to floats', async () => {
    await expectRight([
      ...names.flatMap((name) => integers.map((source) => fromInteger('rn', name, source))),
      ...modes.flatMap((mode) => [
        fromInteger(mode, 'f32', 's32'),
        fromInteger(mode, 'f32', 'u64'),
        fromInteger(mode, 'f32', 's64'),
        fromInteger(mode, 'f64', 'u64'),
        fromInteger(mode, 'f64', 's32'),
        fromInteger(mode, 'f16', 'u32'),
        fromInteger(mode, 'f16', 's64'),
        fromInteger(mode, 'bf16', 'u64'),
      ]),
    ]);
  });

  it.for(quick)('between floats', async () => {
    await expectRight([
      ...modes.flatMap((mode) => [
        between(mode, 'f32', 'f64'),
        between(mode, 'f16', 'f32'),
        between(mode, 'bf16', 'f32'),
        between(mode, 'f16', 'f64'),
      ]),
      between(undefined, 'f32', 'f16'),
      between(undefined, 'f32', 'bf16'),
      between(undefined, 'f64', 'f32'),
      between(undefined, 'f64', 'f16'),
      ...(['rni', 'rzi', 'rmi', 'rpi'] as const).map((mode): Row => ({
        text: `cvt.${mode}.f32.f32 %fx, %f1`,
        wants: (bits = 0n) => {
          const value = decode(bits, formats.f32);
          if (value === 'nan' || !('magnitude' in value)) return rounded(value, formats.f32, 'rn');
          const size = whole({ ...value }, mode);
          const sign = bits & signBit(formats.f32);
          return sign | encode({ isNegative: false, magnitude: size < 0n ? -size : size, scale: 0 }, formats.f32, 'rn');
        },
        float: formats.f32,
      })),
      {
        text: 'cvt.sat.f32.f32 %fx, %f1',
        wants: (a = 0n) => (isNaNOf(a, formats.f32) || a >= 0x80000000n ? 0n : a > 0x3f800000n ? 0x3f800000n : a),
      },
    ]);
  });

  it.for(quick)('pack and unpack pairs', async () => {
    const pair = (low: bigint, high: bigint): bigint => low | (high << 16n);
    const half = (name: 'f16' | 'bf16', bits: bigint, mode: Mode): bigint =>
      rounded(decode(bits, formats.f32), formats[name], mode);
    const finite = (name: 'f16' | 'bf16', bits: bigint): bigint =>
      (bits & 0x7fffn) === infinity(formats[name], false) ? bits - 1n : bits;
    const relu = (bits: bigint): bigint => (!isNaNOf(bits, formats.f32) && bits >= 0x80000000n ? 0n : bits);
    await expectRight([
      ...(['f16', 'bf16'] as const).flatMap((name): Row[] => [
        ...(['rn', 'rz'] as const).map((mode): Row => ({
          text: `cvt.${mode}.${name}x2.f32 %rx, %f1, %f2`,
          wants: (a = 0n, b = 0n) => pair(half(name, b, mode), half(name, a, mode)),
          float: formats[name],
          lanes: 2,
        })),
        {
          text: `cvt.rn.satfinite.${name}.f32 %hx, %f1`,
          wants: (a = 0n) => finite(name, half(name, a, 'rn')),
          float: formats[name],
        },
        {
          text: `cvt.rz.relu.satfinite.${name}x2.f32 %rx, %f1, %f2`,
          wants: (a = 0n, b = 0n) =>
            pair(finite(name, half(name, relu(b), 'rz')), finite(name, half(name, relu(a), 'rz'))),
          float: formats[name],
          lanes: 2,
        },
        {
          text: `cvt.rn.relu.${name}x2.f32 %rx, %f1, %f2`,
          wants: (a = 0n, b = 0n) => pair(half(name, relu(b), 'rn'), half(name, relu(a), 'rn')),
          float: formats[name],
          lanes: 2,
        },
      ]),
      ...(['e4m3', 'e5m2'] as const).flatMap((type): Row[] => [
        {
          text: `cvt.rn.satfinite.${type}x2.f32 %hx, %f1, %f2`,
          wants: (a = 0n, b = 0n) => narrow8(type, b, formats.f32) | (narrow8(type, a, formats.f32) << 8n),
        },
        {
          text: `cvt.rn.satfinite.${type}x2.f16x2 %hx, %r1`,
          wants: (a = 0n) => narrow8(type, a & 0xffffn, formats.f16) | (narrow8(type, a >> 16n, formats.f16) << 8n),
        },
        {
          text: `cvt.rn.satfinite.${type}x2.bf16x2 %hx, %r1`,
          wants: (a = 0n) => narrow8(type, a & 0xffffn, formats.bf16) | (narrow8(type, a >> 16n, formats.bf16) << 8n),
        },
        {
          text: `cvt.rn.bf16x2.${type}x2 %rx, %h1`,
          // Each value of 8 bits is a normal f16 or a small one, so it is exact as a bf16 too.
          wants: (a = 0n) => {
            const one = (bits: bigint): bigint => rounded(decode(wide8(type, bits), formats.f16), formats.bf16, 'rn');
            return pair(one(a & 255n), one(a >> 8n));
          },
          float: formats.bf16,
          lanes: 2,
        },
        {
          text: `cvt.rn.f16x2.${type}x2 %rx, %h1`,
          wants: (a = 0n) => pair(wide8(type, a & 255n), wide8(type, a >> 8n)),
          float: formats.f16,
          lanes: 2,
        },
      ]),
      {
        text: 'cvt.pack.sat.s16.s32 %rx, %r1, %r2',
        wants: (a = 0n, b = 0n) =>
          pair(BigInt.asUintN(16, cut('s16', valueOf('s32', b))), BigInt.asUintN(16, cut('s16', valueOf('s32', a)))),
      },
      {
        text: 'cvt.pack.sat.u8.s32.b32 %rx, %r1, %r2, %r3',
        wants: (a = 0n, b = 0n, c = 0n) =>
          cut('u8', valueOf('s32', b)) | (cut('u8', valueOf('s32', a)) << 8n) | ((c & 0xffffn) << 16n),
      },
    ]);
  });
});

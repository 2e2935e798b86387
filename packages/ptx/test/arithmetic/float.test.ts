import { describe, inject, it } from 'vitest';
import { expectRight, type Row } from './support/rows.ts';
import {
  decode,
  formats,
  isNaNOf,
  nan,
  order,
  product,
  quotient,
  rounded,
  signBit,
  squareRoot,
  sum,
  type Decoded,
  type Format,
  type Mode,
} from './support/soft-float.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const modes: readonly Mode[] = ['rn', 'rz', 'rm', 'rp'];
const letters = { f16: 'h', bf16: 'h', f32: 'f', f64: 'fd' } as const;
type Name = keyof typeof formats;

type Operation = (mode: Mode, ...args: readonly Decoded[]) => Decoded;

const operations = {
  add: (mode, a = 'nan', b = 'nan') => sum(a, b, mode),
  sub: (mode, a = 'nan', b = 'nan') => sum(a, negated(b), mode),
  mul: (_, a = 'nan', b = 'nan') => product(a, b),
  fma: (mode, a = 'nan', b = 'nan', c = 'nan') => sum(product(a, b), c, mode),
  mad: (mode, a = 'nan', b = 'nan', c = 'nan') => sum(product(a, b), c, mode),
  div: (_, a = 'nan', b = 'nan') => quotient(a, b),
  rcp: (_, a = 'nan') => quotient({ isNegative: false, magnitude: 1n, scale: 0 }, a),
  sqrt: (_, a = 'nan') => squareRoot(a),
} as const satisfies Record<string, Operation>;

const counts = { add: 2, sub: 2, mul: 2, fma: 3, mad: 3, div: 2, rcp: 1, sqrt: 1 } as const;

function negated(value: Decoded): Decoded {
  return value === 'nan' ? value : { ...value, isNegative: !value.isNegative };
}

/** Replaces a subnormal by zero. */
function flush(bits: bigint, format: Format): bigint {
  const size = bits & (signBit(format) - 1n);
  return size < 1n << BigInt(format.fraction) ? bits & signBit(format) : bits;
}

function bitsOfOne(format: Format): bigint {
  return ((1n << BigInt(format.exponent - 1)) - 1n) << BigInt(format.fraction);
}

function saturate(bits: bigint, format: Format): bigint {
  if (isNaNOf(bits, format) || bits >= signBit(format)) return 0n;
  const one = bitsOfOne(format);
  return bits > one ? one : bits;
}

function relu(bits: bigint, format: Format): bigint {
  return isNaNOf(bits, format) ? nan(format) : bits >= signBit(format) ? 0n : bits;
}

function reference(op: keyof typeof operations, format: Format, mode: Mode, words: readonly string[]) {
  return (...inputs: readonly bigint[]): bigint => {
    const ftz = words.includes('ftz');
    const args = inputs.map((bits) => decode(ftz ? flush(bits, format) : bits, format));
    const operation: Operation = operations[op];
    let bits = rounded(operation(mode, ...args), format, mode);
    if (ftz) bits = flush(bits, format);
    if (words.includes('sat')) bits = saturate(bits, format);
    return words.includes('relu') ? relu(bits, format) : bits;
  };
}

/** A row for `op.words.name`, on registers of one float each. */
function row(op: keyof typeof operations, name: Name, ...words: readonly string[]): Row {
  const letter = letters[name];
  const mode = modes.find((each) => words.includes(each)) ?? 'rn';
  const sources = Array.from({ length: counts[op] }, (_, i) => `%${letter}${i + 1}`);
  return {
    text: `${[op, ...words, name].join('.')} %${letter}x, ${sources.join(', ')}`,
    wants: reference(op, formats[name], mode, words),
    float: formats[name],
  };
}

/** The same with two elements in one register. */
function packedRow(op: keyof typeof operations, name: 'f16' | 'bf16' | 'f32', ...words: readonly string[]): Row {
  const letter = name === 'f32' ? 'rd' : 'r';
  const width = name === 'f32' ? 32 : 16;
  const mode = modes.find((each) => words.includes(each)) ?? 'rn';
  const sources = Array.from({ length: counts[op] }, (_, i) => `%${letter}${i + 1}`);
  const single = reference(op, formats[name], mode, words);
  return {
    text: `${[op, ...words, `${name}x2`].join('.')} %${letter}x, ${sources.join(', ')}`,
    wants: (...inputs) => {
      const lane = (at: number): bigint => single(...inputs.map((bits) => BigInt.asUintN(width, bits >> BigInt(at))));
      return lane(0) | (lane(width) << BigInt(width));
    },
    float: formats[name],
    lanes: 2,
  };
}

function extreme(op: 'min' | 'max', name: Name, ...words: readonly string[]): Row {
  const letter = letters[name];
  const format = formats[name];
  const size = signBit(format) - 1n;
  const wants = (a0 = 0n, b0 = 0n): bigint => {
    let [a, b] = [a0, b0];
    if (words.includes('ftz')) [a, b] = [flush(a, format), flush(b, format)];
    const sign = (a ^ b) & signBit(format);
    if (words.includes('abs')) [a, b] = [a & size, b & size];
    const way = order(a, b, format);
    if (way === undefined) {
      if (words.includes('NaN') || (isNaNOf(a, format) && isNaNOf(b, format))) return nan(format);
      const other = isNaNOf(a, format) ? b : a;
      return words.includes('abs') ? other | sign : other;
    }
    // -0 is the lower of two zeros.
    const first = way === 0 ? a >= signBit(format) : way < 0;
    const chosen = (op === 'min') === first ? a : b;
    return words.includes('abs') ? chosen | sign : chosen;
  };
  return { text: `${[op, ...words, name].join('.')} %${letter}x, %${letter}1, %${letter}2`, wants, float: format };
}

describe('floats', () => {
  it.for(slow)('of 32 bits are rounded in every direction', async () => {
    const ops = ['add', 'sub', 'mul', 'fma', 'mad', 'div', 'rcp', 'sqrt'] as const;
    await expectRight(ops.flatMap((op) => modes.map((mode) => row(op, 'f32', mode))));
  });

  it.for(quick)('of 64 bits are added and multiplied in every direction', async () => {
    const [most, least] = [0x7fef_ffff_ffff_ffffn, 1n];
    const infinite = 0x7ff0_0000_0000_0000n;
    const values = [most, most - 1n, least, infinite, 0n].flatMap((bits) => [bits, bits | (1n << 63n)]);
    const also = values.flatMap((a) => values.map((b) => [a, b]));
    const rows = (['add', 'sub', 'mul'] as const).flatMap((op) => modes.map((mode) => row(op, 'f64', mode)));
    await expectRight(rows.map((one) => ({ ...one, also })));
  });

  it.for(quick)('are flushed and saturated', async () => {
    await expectRight([
      row('add', 'f32', 'ftz'),
      row('add', 'f32', 'rz', 'ftz', 'sat'),
      row('sub', 'f32', 'sat'),
      row('mul', 'f32', 'rn', 'ftz'),
      row('fma', 'f32', 'rn', 'ftz', 'sat'),
      row('div', 'f32', 'rn', 'ftz'),
      row('div', 'f32', 'approx', 'ftz'),
      row('div', 'f32', 'full'),
      row('rcp', 'f32', 'approx', 'ftz'),
      row('sqrt', 'f32', 'approx', 'ftz'),
      row('add', 'f16', 'ftz', 'sat'),
      row('fma', 'f16', 'rn', 'ftz', 'relu'),
      row('fma', 'bf16', 'rn', 'relu'),
    ]);
  });

  it.for(quick)('of 64 and 16 bits are rounded to nearest', async () => {
    const all = ['add', 'sub', 'mul'] as const;
    await expectRight([
      ...(['f16', 'bf16', 'f64'] as const).flatMap((name) => all.map((op) => row(op, name))),
      row('add', 'f64', 'rn'),
      row('mad', 'f64', 'rn'),
      row('div', 'f64', 'rn'),
      row('rcp', 'f64', 'rn'),
      row('sqrt', 'f64', 'rn'),
      ...(['f16', 'bf16', 'f64'] as const).map((name) => row('fma', name, 'rn')),
    ]);
  });

  it.for(quick)('can be packed in pairs', async () => {
    const all = ['add', 'sub', 'mul'] as const;
    await expectRight([
      ...(['f16', 'bf16', 'f32'] as const).flatMap((name) => all.map((op) => packedRow(op, name))),
      ...(['f16', 'bf16', 'f32'] as const).map((name) => packedRow('fma', name, 'rn')),
      packedRow('add', 'f32', 'rz', 'ftz'),
      packedRow('add', 'f16', 'ftz', 'sat'),
      packedRow('fma', 'bf16', 'rn', 'relu'),
    ]);
  });

  it.for(quick)('have minimum and maximum', async () => {
    await expectRight(
      (['min', 'max'] as const).flatMap((op) => [
        ...(['f32', 'f64', 'f16', 'bf16'] as const).map((name) => extreme(op, name)),
        extreme(op, 'f32', 'ftz'),
        extreme(op, 'f32', 'NaN'),
        extreme(op, 'f32', 'xorsign', 'abs'),
        extreme(op, 'bf16', 'NaN', 'xorsign', 'abs'),
      ]),
    );
  });

  it.for(slow)('have signs and classes', async () => {
    const f = formats.f32;
    const finite = (a: bigint): boolean => (a & 0x7fffffffn) < 0x7f800000n;
    const normal = (a: bigint): boolean => finite(a) && (a & 0x7fffffffn) >= 0x800000n;
    const bit = (truth: boolean): bigint => (truth ? 1n : 0n);
    await expectRight([
      { text: 'abs.f32 %fx, %f1', wants: (a = 0n) => a & 0x7fffffffn, float: f },
      { text: 'neg.f32 %fx, %f1', wants: (a = 0n) => a ^ 0x80000000n, float: f },
      { text: 'abs.ftz.f32 %fx, %f1', wants: (a = 0n) => flush(a & 0x7fffffffn, f), float: f },
      { text: 'neg.f64 %fdx, %fd1', wants: (a = 0n) => a ^ (1n << 63n), float: formats.f64 },
      { text: 'neg.f16 %hx, %h1', wants: (a = 0n) => a ^ 0x8000n },
      { text: 'abs.bf16x2 %rx, %r1', wants: (a = 0n) => a & 0x7fff7fffn },
      { text: 'neg.f16x2 %rx, %r1', wants: (a = 0n) => a ^ 0x80008000n },
      {
        text: 'copysign.f32 %fx, %r1, %f2',
        wants: (a = 0n, b = 0n) => (a & 0x80000000n) | (b & 0x7fffffffn),
        float: f,
      },
      { text: 'testp.finite.f32 %px, %f1', wants: (a = 0n) => bit(finite(a)) },
      { text: 'testp.infinite.f32 %px, %f1', wants: (a = 0n) => bit((a & 0x7fffffffn) === 0x7f800000n) },
      { text: 'testp.number.f32 %px, %f1', wants: (a = 0n) => bit(!isNaNOf(a, f)) },
      { text: 'testp.notanumber.f32 %px, %f1', wants: (a = 0n) => bit(isNaNOf(a, f)) },
      { text: 'testp.normal.f32 %px, %f1', wants: (a = 0n) => bit(normal(a) || (a & 0x7fffffffn) === 0n) },
      {
        text: 'testp.subnormal.f32 %px, %f1',
        wants: (a = 0n) => bit(finite(a) && !normal(a) && (a & 0x7fffffffn) !== 0n),
      },
    ]);
  });

  it.for(quick)('have approximate operations with the nearest result', async () => {
    const f = formats.f32;
    const bytes = new DataView(new ArrayBuffer(4));
    const of =
      (compute: (value: number) => number) =>
      (a = 0n) => {
        bytes.setUint32(0, Number(a));
        bytes.setFloat32(0, compute(bytes.getFloat32(0)));
        return BigInt(bytes.getUint32(0));
      };
    await expectRight([
      { text: 'rsqrt.approx.f32 %fx, %f1', wants: of((a) => 1 / Math.sqrt(a)), float: f },
      { text: 'sin.approx.f32 %fx, %f1', wants: of(Math.sin), float: f },
      { text: 'cos.approx.f32 %fx, %f1', wants: of(Math.cos), float: f },
      { text: 'lg2.approx.f32 %fx, %f1', wants: of(Math.log2), float: f },
      { text: 'ex2.approx.f32 %fx, %f1', wants: of((a) => 2 ** a), float: f },
      { text: 'tanh.approx.f32 %fx, %f1', wants: of(Math.tanh), float: f },
    ]);
  });
});

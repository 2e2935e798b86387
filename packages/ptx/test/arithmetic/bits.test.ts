import { describe, inject, it } from 'vitest';
import { expectRight, type Row } from './support/rows.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const u = (value: bigint): bigint => BigInt.asUintN(32, value);
const cut = (bits: number, value: bigint): bigint => BigInt.asUintN(bits, value);
const text2 = (bits: number, value: bigint): string => cut(bits, value).toString(2).padStart(bits, '0');
const bitAt = (value: bigint, at: number): bigint => (value >> BigInt(at)) & 1n;

const letters: Readonly<Record<number, string>> = { 16: 'h', 32: 'r', 64: 'rd' };

function shifts(bits: number): Row[] {
  const letter = letters[bits] ?? 'r';
  const least = (count: bigint): bigint => (count > 64n ? 64n : count);
  return [
    { text: `shl.b${bits} %${letter}x, %${letter}1, %r2`, wants: (a = 0n, n = 0n) => cut(bits, a << least(n)) },
    { text: `shr.u${bits} %${letter}x, %${letter}1, %r2`, wants: (a = 0n, n = 0n) => a >> least(n) },
    { text: `shr.b${bits} %${letter}x, %${letter}1, 3`, wants: (a = 0n) => a >> 3n },
    {
      text: `shr.s${bits} %${letter}x, %${letter}1, %r2`,
      wants: (a = 0n, n = 0n) => cut(bits, BigInt.asIntN(bits, a) >> least(n)),
    },
    { text: `shl.b${bits} %${letter}x, %${letter}1, 77`, wants: () => 0n },
    { text: `shr.s${bits} %${letter}x, %${letter}1, 77`, wants: (a = 0n) => cut(bits, BigInt.asIntN(bits, a) >> 64n) },
  ];
}

/** The absolute differences of the parts of two registers, as one register or added to a third. */
function absoluteDifferences(parts: 2 | 4, [d, a, b]: readonly [string, string, string], mode = ''): Row {
  const width = 32 / parts;
  const part = (value: bigint, i: number, type: string): bigint => {
    const bits = cut(width, value >> BigInt(width * i));
    return type === 's32' ? BigInt.asIntN(width, bits) : bits;
  };
  const most = 2n ** BigInt(d === 's32' ? width - 1 : width) - 1n;
  return {
    text: `vabsdiff${parts}.${d}.${a}.${b}${mode} %rx, %r1, %r2, %r3`,
    wants: (x = 0n, y = 0n, z = 0n) => {
      const all = Array.from({ length: parts }, (_, i) => {
        const difference = part(x, i, a) - part(y, i, b);
        const size = difference < 0n ? -difference : difference;
        return mode === '.sat' && size > most ? most : size;
      });
      if (mode === '.add') return u(all.reduce((sum, one) => sum + one, z));
      return all.reduce((joined, one, i) => joined | (cut(width, one) << BigInt(width * i)), 0n);
    },
  };
}

function funnel(direction: 'l' | 'r', mode: 'wrap' | 'clamp', count?: number): Row {
  return {
    text: `shf.${direction}.${mode}.b32 %rx, %r1, %r2, ${count ?? '%r3'}`,
    wants: (a = 0n, b = 0n, c = BigInt(count ?? 0)) => {
      const n = mode === 'wrap' ? c & 31n : c > 32n ? 32n : c;
      const whole = (b << 32n) | a;
      return u(direction === 'l' ? (whole << n) >> 32n : whole >> n);
    },
  };
}

/** The expected result, computed by the pseudo code of PTX's documentation. */
function bfe(bits: number, isSigned: boolean, a: bigint, b: bigint, c: bigint): bigint {
  const [pos, len] = [Number(b & 255n), Number(c & 255n)];
  const sign = !isSigned || len === 0 ? 0n : bitAt(a, Math.min(pos + len - 1, bits - 1));
  let result = 0n;
  for (let i = 0; i < bits; i++) {
    result |= (i < len && pos + i < bits ? bitAt(a, pos + i) : sign) << BigInt(i);
  }
  return result;
}

function bfi(bits: number, a: bigint, b: bigint, c: bigint, d: bigint): bigint {
  const [pos, len] = [Number(c & 255n), Number(d & 255n)];
  let result = b;
  for (let i = 0; i < len && pos + i < bits; i++) {
    const at = BigInt(pos + i);
    result = (result & ~(1n << at)) | (bitAt(a, i) << at);
  }
  return result;
}

function bmsk(mode: string, a: bigint, b: bigint): bigint {
  const limit = (value: bigint): number => Number(mode === 'wrap' ? value & 31n : value > 32n ? 32n : value);
  const [first, length] = [limit(a), limit(b)];
  let result = 0n;
  for (let i = first; i < Math.min(32, first + length); i++) result |= 1n << BigInt(i);
  return result;
}

function szext(mode: string, isSigned: boolean, a: bigint, b: bigint): bigint {
  const length = mode === 'wrap' ? Number(b & 31n) : Number(b > 32n ? 32n : b);
  return length === 0 ? 0n : u(isSigned ? BigInt.asIntN(length, a) : cut(length, a));
}

function fns(mask: bigint, base: bigint, offset: bigint): bigint {
  const by = BigInt.asIntN(32, offset);
  if (by === 0n) return bitAt(mask, Number(base)) === 1n ? base : 0xffffffffn;
  let count = (by < 0n ? -by : by) - 1n;
  for (let at = Number(base); at >= 0 && at < 32; at += by > 0n ? 1 : -1) {
    if (bitAt(mask, at) === 0n) continue;
    if (count === 0n) return BigInt(at);
    count -= 1n;
  }
  return 0xffffffffn;
}

function bfind(bits: number, isSigned: boolean, isAmount: boolean, a: bigint): bigint {
  const value = isSigned && bitAt(a, bits - 1) === 1n ? cut(bits, ~a) : a;
  const place = text2(bits, value).indexOf('1');
  if (place === -1) return 0xffffffffn;
  return BigInt(isAmount ? place : bits - 1 - place);
}

const nibbles = (selectors: bigint): number[] => [0n, 4n, 8n, 12n].map((at) => Number((selectors >> at) & 15n));

function prmt(a: bigint, b: bigint, selectors: readonly number[]): bigint {
  const whole = a | (b << 32n);
  return selectors.reduce((sum, selector, index) => {
    const byte = (whole >> BigInt(8 * (selector & 7))) & 255n;
    const value = (selector & 8) === 0 ? byte : byte > 127n ? 255n : 0n;
    return sum | (value << BigInt(8 * index));
  }, 0n);
}

const lowest = (first: number, step: number): number[] => [0, 1, 2, 3].map((i) => (first + step * i + 8) % 8);
const permuteModes: Readonly<Record<string, (c: number) => number[]>> = {
  f4e: (c) => lowest(c, 1),
  b4e: (c) => lowest(c, -1),
  rc8: (c) => [c, c, c, c],
  ecl: (c) => [0, 1, 2, 3].map((i) => Math.max(i, c)),
  ecr: (c) => [0, 1, 2, 3].map((i) => Math.min(i, c)),
  rc16: (c) => [0, 1, 0, 1].map((i) => i + 2 * (c & 1)),
};

function lop(table: number, a: bigint, b: bigint, c: bigint): bigint {
  let result = 0n;
  for (let i = 0; i < 32; i++) {
    const at = Number((bitAt(a, i) << 2n) | (bitAt(b, i) << 1n) | bitAt(c, i));
    result |= BigInt((table >> at) & 1) << BigInt(i);
  }
  return result;
}

describe('bits', () => {
  it('shift, and clamp the count', async () => {
    await expectRight([16, 32, 64].flatMap(shifts));
  });

  it.for(slow)('shift through two words', async () => {
    const modes = ['wrap', 'clamp'] as const;
    await expectRight(
      (['l', 'r'] as const).flatMap((direction) =>
        modes.flatMap((mode) => [funnel(direction, mode), ...[0, 7, 32, 45].map((n) => funnel(direction, mode, n))]),
      ),
    );
  });

  it.for(slow)('can be counted, found and reversed', async () => {
    const ones = (bits: number, a: bigint): bigint => BigInt(text2(bits, a).replaceAll('0', '').length);
    const reverse = (bits: number, a: bigint): bigint => BigInt(`0b${text2(bits, a).split('').reverse().join('')}`);
    await expectRight([
      ...[32, 64].flatMap((bits) => {
        const letter = letters[bits] ?? 'r';
        const zeros = (a: bigint): bigint => BigInt(text2(bits, a).replace(/1.*/, '').length);
        return [
          { text: `popc.b${bits} %rx, %${letter}1`, wants: (a: bigint) => ones(bits, a) },
          { text: `clz.b${bits} %rx, %${letter}1`, wants: (a: bigint) => zeros(a) },
          { text: `brev.b${bits} %${letter}x, %${letter}1`, wants: (a: bigint) => reverse(bits, a) },
          { text: `bfind.u${bits} %rx, %${letter}1`, wants: (a: bigint) => bfind(bits, false, false, a) },
          { text: `bfind.s${bits} %rx, %${letter}1`, wants: (a: bigint) => bfind(bits, true, false, a) },
          { text: `bfind.shiftamt.s${bits} %rx, %${letter}1`, wants: (a: bigint) => bfind(bits, true, true, a) },
        ];
      }),
      ...[0n, 1n, 12n, 31n].map((base) => ({
        text: `fns.b32 %rx, %r1, ${base}, %r2`,
        wants: (mask = 0n, offset = 0n) => fns(mask, base, offset),
        also: [1n, 2n, 5n, 0n, -1n, -2n, -6n].map((offset) => [0xa5c3_1f0fn, u(offset)]),
      })),
    ]);
  });

  it.for(slow)('can be taken from fields and inserted into them', async () => {
    await expectRight([
      ...[32, 64].flatMap((bits) => {
        const letter = letters[bits] ?? 'r';
        const row = (type: string, positions: string): Row => ({
          text: `bfe.${type}${bits} %${letter}x, %${letter}1, ${positions}`,
          wants: (a = 0n, b = 8n, c = 12n) => bfe(bits, type === 's', a, b, c),
        });
        return [
          row('u', '%r2, %r3'),
          row('s', '%r2, %r3'),
          row('u', '8, 12'),
          row('s', '8, 12'),
          {
            text: `bfi.b${bits} %${letter}x, %${letter}1, %${letter}2, %r3, %r4`,
            wants: (a = 0n, b = 0n, c = 0n, d = 0n) => bfi(bits, a, b, c, d),
          },
          {
            text: `bfi.b${bits} %${letter}x, %${letter}1, %${letter}2, 24, 12`,
            wants: (a = 0n, b = 0n) => bfi(bits, a, b, 24n, 12n),
          },
        ];
      }),
      ...['clamp', 'wrap'].flatMap((mode) => [
        { text: `bmsk.${mode}.b32 %rx, %r1, %r2`, wants: (a: bigint, b: bigint) => bmsk(mode, a, b) },
        { text: `szext.${mode}.u32 %rx, %r1, %r2`, wants: (a: bigint, b: bigint) => szext(mode, false, a, b) },
        { text: `szext.${mode}.s32 %rx, %r1, %r2`, wants: (a: bigint, b: bigint) => szext(mode, true, a, b) },
      ]),
    ]);
  });

  it.for(slow)('can be permuted by bytes', async () => {
    const known = [0x3210n, 0x5410n, 0x7632n, 0xba98n, 0x0123n, 0xf4a1n];
    await expectRight([
      { text: 'prmt.b32 %rx, %r1, %r2, %r3', wants: (a = 0n, b = 0n, c = 0n) => prmt(a, b, nibbles(c)) },
      ...known.map((c) => ({
        text: `prmt.b32 %rx, %r1, %r2, ${c}`,
        wants: (a = 0n, b = 0n) => prmt(a, b, nibbles(c)),
      })),
      ...Object.entries(permuteModes).flatMap(([mode, selectors]) => [
        {
          text: `prmt.b32.${mode} %rx, %r1, %r2, %r3`,
          wants: (a: bigint, b: bigint, c = 0n) => prmt(a, b, selectors(Number(c & 3n))),
        },
        { text: `prmt.b32.${mode} %rx, %r1, %r2, 2`, wants: (a: bigint, b: bigint) => prmt(a, b, selectors(2)) },
      ]),
    ]);
  });

  it.for(slow)('combine by every truth table', async () => {
    // The quick tests have one of eight.
    const every = Array.from({ length: 256 }, (_, table) => table);
    const tables = every.filter((table) => (table % 8 === 2) !== inject('slow'));
    await expectRight(
      tables.map((table) => ({
        text: `lop3.b32 %rx, %r1, %r2, %r3, ${table}`,
        wants: (a = 0n, b = 0n, c = 0n) => lop(table, a, b, c),
      })),
    );
  });

  it.for(slow)('combine, like predicates', async () => {
    await expectRight([
      ...[16, 32, 64].flatMap((bits) => {
        const letter = letters[bits] ?? 'r';
        return [
          { text: `and.b${bits} %${letter}x, %${letter}1, %${letter}2`, wants: (a: bigint, b: bigint) => a & b },
          { text: `or.b${bits} %${letter}x, %${letter}1, %${letter}2`, wants: (a: bigint, b: bigint) => a | b },
          { text: `xor.b${bits} %${letter}x, %${letter}1, %${letter}2`, wants: (a: bigint, b: bigint) => a ^ b },
          { text: `not.b${bits} %${letter}x, %${letter}1`, wants: (a: bigint) => cut(bits, ~a) },
          { text: `cnot.b${bits} %${letter}x, %${letter}1`, wants: (a: bigint) => (a === 0n ? 1n : 0n) },
        ];
      }),
      { text: 'and.pred %px, %p1, !%p2', wants: (a = 0n, b = 0n) => a & (1n - b) },
      { text: 'or.pred %px, %p1, %p2', wants: (a = 0n, b = 0n) => a | b },
      { text: 'xor.pred %px, %p1, %p2', wants: (a = 0n, b = 0n) => a ^ b },
      { text: 'not.pred %px, %p1', wants: (a = 0n) => 1n - a },
      {
        text: 'lop3.or.b32 %rx|%py, %r1, %r2, %r3, 128, %p4',
        wants: (a = 0n, b = 0n, c = 0n, q = 0n) => [a & b & c, (a & b & c) === 0n ? q : 1n],
      },
      {
        text: 'lop3.and.b32 _|%py, %r1, %r2, %r3, 150, !%p4',
        wants: (a = 0n, b = 0n, c = 0n, q = 0n) => ((a ^ b ^ c) === 0n ? 0n : 1n - q),
      },
    ]);
  });

  it.for(slow)('have absolute differences of bytes and halves', async () => {
    const types = (['u32', 's32'] as const).flatMap((d) =>
      (['u32', 's32'] as const).map((type): readonly [string, string, string] => [d, type, type]),
    );
    await expectRight([
      ...([2, 4] as const).flatMap((parts) =>
        types.flatMap((each) => ['', '.sat', '.add'].map((mode) => absoluteDifferences(parts, each, mode))),
      ),
      absoluteDifferences(4, ['u32', 'u32', 's32']),
    ]);
  });

  it.for(slow)('are packed and unpacked', async () => {
    const h = (value: bigint, at: bigint): bigint => (value >> at) & 0xffffn;
    await expectRight([
      { text: 'mov.b32 %rx, {%h1, %h2}', wants: (a = 0n, b = 0n) => a | (b << 16n) },
      { text: 'mov.b64 %rdx, {%r1, %r2}', wants: (a = 0n, b = 0n) => a | (b << 32n) },
      {
        text: 'mov.b64 %rdx, {%h1, %h2, %h3, %h4}',
        wants: (a = 0n, b = 0n, c = 0n, d = 0n) => a | (b << 16n) | (c << 32n) | (d << 48n),
      },
      { text: 'mov.v2.b32 {%rx, %ry}, {%r1, %r2}', wants: (a = 0n, b = 0n) => [a, b] },
      { text: 'mov.v4.b16 {%hx, _, %hy, _}, {%h1, %h2, %h3, 7}', wants: (a = 0n, _b = 0n, c = 0n) => [a, c] },
      {
        text: 'mov.v2.b32 {%rx, %ry}, {%r1, %r2}; mov.v2.b32 {%rx, %ry}, {%ry, %rx}',
        wants: (a = 0n, b = 0n) => [b, a],
      },
      { text: 'mov.v2.f32 {%fx, %fy}, 0f3F800000', wants: () => [0x3f800000n, 0x3f800000n] },
      { text: 'mov.b32 {%hx, %hy}, %r1', wants: (a = 0n) => [h(a, 0n), h(a, 16n)] },
      { text: 'mov.b32 {_, %hy}, %r1', wants: (a = 0n) => h(a, 16n) },
      { text: 'mov.b64 {%rx, %ry}, %rd1', wants: (a = 0n) => [u(a), a >> 32n] },
      { text: 'mov.b128 %qx, {%rd1, %rd2}', wants: (_ = 0n, b = 0n) => b },
      { text: 'mov.b128 {%rdx, %rdy}, %q1', wants: (a = 0n) => [a, a] },
      { text: 'mov.b128 %qx, %q1; mov.b128 {%rx, %ry, %rz, _}, %q1', wants: (a = 0n) => [a, u(a), a >> 32n, u(a)] },
      { text: 'mov.u32 %rx, %r1', wants: (a = 0n) => a },
      { text: 'mov.u32 %rx, -1', wants: () => 0xffffffffn },
      { text: 'mov.f32 %fx, 0f3F800000', wants: () => 0x3f800000n },
      { text: 'mov.pred %px, %p1', wants: (a = 0n) => a },
    ]);
  });
});

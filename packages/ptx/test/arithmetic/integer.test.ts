import { describe, inject, it } from 'vitest';
import { expectRight, type Row } from './support/rows.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

type Binary = (a: bigint, b: bigint) => bigint;

interface Width {
  readonly bits: number;
  readonly letter: string;
}

const widths: readonly Width[] = [
  { bits: 16, letter: 'h' },
  { bits: 32, letter: 'r' },
  { bits: 64, letter: 'rd' },
];

const asSigned = (bits: number, isSigned: boolean, value: bigint): bigint =>
  isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);

/**
 * Makes a row for each integer type. `op` computes on values, and its result is cut to the width.
 */
function typed(opcode: string, op: (bits: number) => Binary, signs = [true, false]): Row[] {
  return widths.flatMap(({ bits, letter }) =>
    signs.map((isSigned) => ({
      text: `${opcode}.${isSigned ? 's' : 'u'}${bits} %${letter}x, %${letter}1, %${letter}2`,
      wants: (a: bigint, b: bigint) =>
        BigInt.asUintN(bits, op(bits)(asSigned(bits, isSigned, a), asSigned(bits, isSigned, b))),
    })),
  );
}

const clampS32 = (value: bigint): bigint => {
  const cut = value > 0x7fffffffn ? 0x7fffffffn : value < -0x80000000n ? -0x80000000n : value;
  return BigInt.asUintN(32, cut);
};

const divide =
  (op: Binary) =>
  (bits: number): Binary =>
  (a, b) =>
    b === 0n ? BigInt.asUintN(bits, -1n) : op(a, b);

const s = (value: bigint): bigint => BigInt.asIntN(32, value);
const u = (value: bigint): bigint => BigInt.asUintN(32, value);
const lanes16 = (op: Binary, isSigned: boolean) => (a: bigint, b: bigint) =>
  [0n, 16n]
    .map((at) => BigInt.asUintN(16, op(asSigned(16, isSigned, a >> at), asSigned(16, isSigned, b >> at))) << at)
    .reduce((x, y) => x | y);

describe('integers', () => {
  it('add, subtract and multiply modulo their width', async () => {
    await expectRight([
      ...typed('add', () => (a, b) => a + b),
      ...typed('sub', () => (a, b) => a - b),
      ...typed('mul.lo', () => (a, b) => a * b),
      ...typed('mul.hi', (bits) => (a, b) => (a * b) >> BigInt(bits)),
      { text: 'add.sat.s32 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => clampS32(s(a) + s(b)) },
      { text: 'sub.sat.s32 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => clampS32(s(a) - s(b)) },
      { text: 'add.u16x2 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => lanes16((x, y) => x + y, false)(a, b) },
      { text: 'add.s32 %rx, %r1, -5', wants: (a = 0n) => u(a - 5n) },
    ]);
  });

  it.for(slow)('divide without a trap', async () => {
    await expectRight([
      ...typed(
        'div',
        divide((a, b) => a / b),
      ),
      ...typed(
        'rem',
        divide((a, b) => a % b),
      ),
      { text: 'div.s32 %rx, %r1, -1', wants: (a = 0n) => u(-s(a)) },
      { text: 'rem.u32 %rx, %r1, 10', wants: (a = 0n) => a % 10n },
      { text: 'div.u32 %rx, %r1, 0', wants: () => 0xffffffffn },
    ]);
  });

  it('widen products, and add to them', async () => {
    const wide = (isSigned: boolean, bits: number, a: bigint, b: bigint, c: bigint): bigint =>
      BigInt.asUintN(2 * bits, asSigned(bits, isSigned, a) * asSigned(bits, isSigned, b) + c);
    await expectRight([
      { text: 'mul.wide.s16 %rx, %h1, %h2', wants: (a = 0n, b = 0n) => wide(true, 16, a, b, 0n) },
      { text: 'mul.wide.u16 %rx, %h1, %h2', wants: (a = 0n, b = 0n) => wide(false, 16, a, b, 0n) },
      { text: 'mul.wide.s32 %rdx, %r1, %r2', wants: (a = 0n, b = 0n) => wide(true, 32, a, b, 0n) },
      { text: 'mad.wide.s32 %rdx, %r1, %r2, %rd3', wants: (a = 0n, b = 0n, c = 0n) => wide(true, 32, a, b, c) },
      { text: 'mad.wide.u32 %rdx, %r1, %r2, %rd3', wants: (a = 0n, b = 0n, c = 0n) => wide(false, 32, a, b, c) },
      { text: 'mad.lo.s32 %rx, %r1, %r2, %r3', wants: (a = 0n, b = 0n, c = 0n) => u(a * b + c) },
      { text: 'mad.lo.u64 %rdx, %rd1, %rd2, %rd3', wants: (a = 0n, b = 0n, c = 0n) => BigInt.asUintN(64, a * b + c) },
      { text: 'mad.hi.s32 %rx, %r1, %r2, %r3', wants: (a = 0n, b = 0n, c = 0n) => u(((s(a) * s(b)) >> 32n) + c) },
      {
        text: 'mad.hi.sat.s32 %rx, %r1, %r2, %r3',
        wants: (a = 0n, b = 0n, c = 0n) => clampS32(((s(a) * s(b)) >> 32n) + s(c)),
      },
    ]);
  });

  it('multiply 24-bit numbers', async () => {
    const p = (isSigned: boolean, a: bigint, b: bigint): bigint =>
      asSigned(24, isSigned, a) * asSigned(24, isSigned, b);
    await expectRight([
      { text: 'mul24.lo.u32 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => u(p(false, a, b)) },
      { text: 'mul24.lo.s32 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => u(p(true, a, b)) },
      { text: 'mul24.hi.u32 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => u(p(false, a, b) >> 16n) },
      { text: 'mul24.hi.s32 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => u(p(true, a, b) >> 16n) },
      { text: 'mad24.lo.s32 %rx, %r1, %r2, %r3', wants: (a = 0n, b = 0n, c = 0n) => u(p(true, a, b) + c) },
      {
        text: 'mad24.hi.sat.s32 %rx, %r1, %r2, %r3',
        wants: (a = 0n, b = 0n, c = 0n) => clampS32(s(p(true, a, b) >> 16n) + s(c)),
      },
    ]);
  });

  it.for(slow)('have minimum, maximum and absolute value', async () => {
    const size = (a: bigint): bigint => (a < 0n ? -a : a);
    await expectRight([
      ...typed('min', () => (a, b) => (a < b ? a : b)),
      ...typed('max', () => (a, b) => (a > b ? a : b)),
      ...widths.flatMap(({ bits, letter }) => [
        {
          text: `abs.s${bits} %${letter}x, %${letter}1`,
          wants: (a: bigint) => BigInt.asUintN(bits, size(asSigned(bits, true, a))),
        },
        { text: `neg.s${bits} %${letter}x, %${letter}1`, wants: (a: bigint) => BigInt.asUintN(bits, -a) },
      ]),
      {
        text: 'min.relu.s32 %rx, %r1, %r2',
        wants: (a = 0n, b = 0n) => (s(a) < 0n || s(b) < 0n ? 0n : s(a) < s(b) ? a : b),
      },
      { text: 'max.s16x2 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => lanes16((x, y) => (x > y ? x : y), true)(a, b) },
      {
        text: 'min.relu.s16x2 %rx, %r1, %r2',
        wants: (a = 0n, b = 0n) => lanes16((x, y) => (x < 0n || y < 0n ? 0n : x < y ? x : y), true)(a, b),
      },
      { text: 'sad.s32 %rx, %r1, %r2, %r3', wants: (a = 0n, b = 0n, c = 0n) => u(size(s(a) - s(b)) + c) },
      { text: 'sad.u16 %hx, %h1, %h2, %h3', wants: (a = 0n, b = 0n, c = 0n) => BigInt.asUintN(16, size(a - b) + c) },
    ]);
  });

  it('carry over words', async () => {
    const m = 1n << 96n;
    const words = (value: bigint): readonly bigint[] => [0n, 32n, 64n].map((at) => u(value >> at));
    const three = (a: bigint, b: bigint, c: bigint): bigint => a | (b << 32n) | (c << 64n);
    await expectRight([
      {
        text: 'add.cc.u32 %rx, %r1, %r2; addc.cc.u32 %ry, %r3, %r4; addc.u32 %rz, %r5, %r6',
        wants: (a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n) => words(three(a, c, e) + three(b, d, f)),
      },
      {
        text: 'sub.cc.u32 %rx, %r1, %r2; subc.cc.s32 %ry, %r3, %r4; subc.u32 %rz, %r5, %r6',
        wants: (a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n) => words(m + three(a, c, e) - three(b, d, f)),
        also: [[0n, 1n, 5n, 5n, 9n, 9n]],
      },
      {
        text: 'add.cc.u64 %rdx, %rd1, %rd2; addc.u64 %rdy, %rd3, %rd4',
        wants: (a = 0n, b = 0n, c = 0n, d = 0n) => {
          const sum = a + b + ((c + d) << 64n);
          return [BigInt.asUintN(64, sum), BigInt.asUintN(64, sum >> 64n)];
        },
      },
      {
        text: 'mad.lo.cc.u32 %rx, %r1, %r2, %r3; madc.hi.u32 %ry, %r1, %r2, %r4',
        wants: (a = 0n, b = 0n, c = 0n, d = 0n) => words(a * b + c + (d << 32n)).slice(0, 2),
      },
    ]);
  });

  it('multiply bytes and sum', async () => {
    const part = (value: bigint, at: number, width: number, isSigned: boolean): bigint =>
      asSigned(width, isSigned, value >> BigInt(at));
    const dp4a =
      (sa: boolean, sb: boolean) =>
      (a = 0n, b = 0n, c = 0n) =>
        u([0, 8, 16, 24].reduce((sum, at) => sum + part(a, at, 8, sa) * part(b, at, 8, sb), c));
    const dp2a =
      (sa: boolean, sb: boolean, first: number) =>
      (a = 0n, b = 0n, c = 0n) =>
        u([0, 1].reduce((sum, i) => sum + part(a, 16 * i, 16, sa) * part(b, 8 * (first + i), 8, sb), c));
    await expectRight([
      { text: 'dp4a.u32.u32 %rx, %r1, %r2, %r3', wants: dp4a(false, false) },
      { text: 'dp4a.s32.u32 %rx, %r1, %r2, %r3', wants: dp4a(true, false) },
      { text: 'dp4a.s32.s32 %rx, %r1, %r2, %r3', wants: dp4a(true, true) },
      { text: 'dp2a.lo.u32.s32 %rx, %r1, %r2, %r3', wants: dp2a(false, true, 0) },
      { text: 'dp2a.hi.s32.s32 %rx, %r1, %r2, %r3', wants: dp2a(true, true, 2) },
    ]);
  });
});

import { describe, inject, it } from 'vitest';
import { expectRight, type Row } from './support/rows.ts';
import { formats, isNaNOf, order, signBit } from './support/soft-float.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const comparisons: Readonly<Record<string, (way: number) => boolean>> = {
  eq: (way) => way === 0,
  ne: (way) => way !== 0,
  lt: (way) => way < 0,
  le: (way) => way <= 0,
  gt: (way) => way > 0,
  ge: (way) => way >= 0,
};

const combine: Readonly<Record<string, (t: boolean, c: boolean) => boolean>> = {
  and: (t, c) => t && c,
  or: (t, c) => t || c,
  xor: (t, c) => t !== c,
};

const bit = (truth: boolean | undefined): bigint => (truth === true ? 1n : 0n);
const way = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1);
const s = (bits: number, value: bigint): bigint => BigInt.asIntN(bits, value);

/** The result of `op` for two numbers that compare as `at`, or are unordered. */
function holds(op: string, at: number | undefined): boolean {
  if (op === 'num') return at !== undefined;
  if (op === 'nan') return at === undefined;
  const isUnordered = op.length === 3;
  const test = comparisons[isUnordered ? op.slice(0, 2) : op];
  return at === undefined ? isUnordered : test?.(at) === true;
}

const unordered = ['equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'];

describe('comparisons', () => {
  it('of integers', async () => {
    const same = { u: Object.keys(comparisons), s: Object.keys(comparisons), b: ['eq', 'ne'] };
    const widths: readonly (readonly [bits: number, letter: string])[] = [
      [16, 'h'],
      [32, 'r'],
      [64, 'rd'],
    ];
    const named = { lo: 'lt', ls: 'le', hi: 'gt', hs: 'ge' };
    await expectRight([
      ...widths.flatMap(([bits, letter]) =>
        Object.entries(same).flatMap(([sign, ops]) =>
          ops.map((op): Row => ({
            text: `setp.${op}.${sign}${bits} %px, %${letter}1, %${letter}2`,
            wants: (a = 0n, b = 0n) => bit(comparisons[op]?.(sign === 's' ? way(s(bits, a), s(bits, b)) : way(a, b))),
          })),
        ),
      ),
      ...Object.entries(named).map(([op, meant]) => ({
        text: `setp.${op}.u32 %px, %r1, %r2`,
        wants: (a = 0n, b = 0n) => bit(comparisons[meant]?.(way(a, b))),
      })),
    ]);
  });

  it.for(slow)('of floats have the results of PTX, even for a NaN', async () => {
    const ops = [...Object.keys(comparisons), ...unordered];
    const row = (name: keyof typeof formats, letter: string, op: string): Row => ({
      text: `setp.${op}.${name} %px, %${letter}1, %${letter}2`,
      wants: (a = 0n, b = 0n) => bit(holds(op, order(a, b, formats[name]))),
      also:
        name === 'f32'
          ? [
              [0x7fc00000n, 0x7fc00000n],
              [0n, 0x80000000n],
            ]
          : [],
    });
    await expectRight([
      ...ops.map((op) => row('f32', 'f', op)),
      ...ops.map((op) => row('f64', 'fd', op)),
      ...['lt', 'neu', 'nan'].flatMap((op) => [row('f16', 'h', op), row('bf16', 'h', op)]),
      {
        text: 'setp.lt.ftz.f32 %px, %f1, %f2',
        wants: (a = 0n, b = 0n) => {
          const flush = (bits: bigint): bigint => ((bits & 0x7fffffffn) < 0x800000n ? bits & 0x80000000n : bits);
          return bit(holds('lt', order(flush(a), flush(b), formats.f32)));
        },
      },
    ]);
  });

  it('combine with a predicate, and have two results', async () => {
    await expectRight([
      ...Object.entries(combine).flatMap(([op, join]) => [
        {
          text: `setp.lt.${op}.s32 %px, %r1, %r2, !%p3`,
          wants: (a: bigint, b: bigint, c: bigint) => bit(join(s(32, a) < s(32, b), c === 0n)),
        },
        {
          text: `setp.eq.${op}.u32 %px|%py, %r1, 1, %p3`,
          wants: (a: bigint, c: bigint) => [bit(join(a === 1n, c === 1n)), bit(join(a !== 1n, c === 1n))],
        },
      ]),
      { text: 'setp.gt.u32 _|%py, %r1, %r2', wants: (a = 0n, b = 0n) => bit(a <= b) },
      {
        text: 'setp.lt.f16x2 %px|%py, %r1, %r2',
        wants: (a = 0n, b = 0n) =>
          [0n, 16n].map((at) => bit(holds('lt', order((a >> at) & 0xffffn, (b >> at) & 0xffffn, formats.f16)))),
      },
    ]);
  });

  it('keep the predicate until all operands are read', async () => {
    await expectRight([
      {
        text: 'mov.pred %px, %p1; setp.eq.and.u32 %px|%py, %r2, 1, %px',
        wants: (c = 0n, a = 0n) => [bit(a === 1n && c === 1n), bit(a !== 1n && c === 1n)],
      },
    ]);
  });

  it.for(slow)('select and set values', async () => {
    const ones = 0xffffffffn;
    await expectRight([
      { text: 'selp.b32 %rx, %r1, %r2, %p3', wants: (a = 0n, b = 0n, c = 0n) => (c === 1n ? a : b) },
      { text: 'selp.b32 %rx, %r1, -1, !%p3', wants: (a = 0n, c = 0n) => (c === 0n ? a : ones) },
      {
        text: 'selp.f64 %fdx, %fd1, %fd2, %p3',
        wants: (a = 0n, b = 0n, c = 0n) => (c === 1n ? a : b),
        float: formats.f64,
      },
      { text: 'selp.u16 %hx, 1, 0, %p3', wants: (c = 0n) => c },
      { text: 'slct.u32.s32 %rx, %r1, %r2, %r3', wants: (a = 0n, b = 0n, c = 0n) => (s(32, c) >= 0n ? a : b) },
      {
        text: 'slct.b64.f32 %rdx, %rd1, %rd2, %f3',
        wants: (a = 0n, b = 0n, c = 0n) =>
          !isNaNOf(c, formats.f32) && (c < signBit(formats.f32) || c === signBit(formats.f32)) ? a : b,
      },
      { text: 'set.lt.u32.s32 %rx, %r1, %r2', wants: (a = 0n, b = 0n) => (s(32, a) < s(32, b) ? ones : 0n) },
      { text: 'set.ge.f32.u32 %fx, %r1, %r2', wants: (a = 0n, b = 0n) => (a >= b ? 0x3f800000n : 0n) },
      {
        text: 'set.eq.and.s32.f32 %rx, %f1, %f2, %p3',
        wants: (a = 0n, b = 0n, c = 0n) => (order(a, b, formats.f32) === 0 && c === 1n ? ones : 0n),
      },
      {
        text: 'set.gt.f16x2.f16x2 %rx, %r1, %r2',
        wants: (a = 0n, b = 0n) =>
          [0n, 16n]
            .map(
              (at) => (holds('gt', order((a >> at) & 0xffffn, (b >> at) & 0xffffn, formats.f16)) ? 0x3c00n : 0n) << at,
            )
            .reduce((x, y) => x | y),
      },
    ]);
  });
});

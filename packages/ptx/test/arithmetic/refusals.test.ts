import { describe, expect, it } from 'vitest';
import { arithmetic } from '../../src/lower/arithmetic/arithmetic.ts';
import { instructionOf } from './support/instruction-text.ts';
import { Refusal, TestLowering } from './support/test-lowering.ts';

function refusalOf(text: string): string {
  const instruction = instructionOf(text);
  try {
    arithmetic[instruction.words[0]]?.(instruction, new TestLowering());
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return `${text}: taken`;
}

describe('unsupported instructions', () => {
  it('are refused by name', () => {
    const texts = [
      'add.foo.s32 %r1, %r2, %r3',
      'add.f16.f32 %r1, %r2, %r3',
      'add.s8 %r1, %r2, %r3',
      'add.sat.u32 %r1, %r2, %r3',
      'add.ftz.f64 %fd1, %fd2, %fd3',
      'fma.rz.f64 %fd1, %fd2, %fd3, %fd4',
      'add.rn.rz.f32 %f1, %f2, %f3',
      'add %r1, %r2, %r3',
      'add.s32 %r1, %r2',
      'mul.s32 %r1, %r2, %r3',
      'mul.wide.s64 %rd1, %rd2, %rd3',
      'mad.lo.sat.s32 %r1, %r2, %r3, %r4',
      'mul24.s32 %r1, %r2, %r3',
      'fma.f32 %f1, %f2, %f3, %f4',
      'fma.rn.relu.f32 %f1, %f2, %f3, %f4',
      'div.f32 %f1, %f2, %f3',
      'div.approx.f64 %fd1, %fd2, %fd3',
      'rcp.full.f32 %f1, %f2',
      'rcp.approx.ftz.f64 %fd1, %fd2',
      'min.xorsign.f32 %f1, %f2, %f3',
      'setp.s32 %p1, %r2, %r3',
      'setp.lt.b32 %p1, %r2, %r3',
      'setp.lo.s32 %p1, %r2, %r3',
      'setp.ltu.s32 %p1, %r2, %r3',
      'setp.lt.s32 %p1, %r2, %r3, %p4',
      'setp.lt.f16x2 %p1, %r2, %r3',
      'lop3.b32 %r1, %r2, %r3, %r4, %r5',
      'shf.l.b32 %r1, %r2, %r3, %r4',
      'cvt.f32.f64 %f1, %fd2',
      'cvt.s32.f32 %r1, %f2',
      'cvt.rn.s32.f32 %r1, %f2',
      'cvt.rn.f32.f16 %f1, %h2',
      'cvt.rna.tf32.f32 %r1, %f2',
      'cvt.rn.e4m3x2.f32 %h1, %f2, %f3',
      'cvt.rn.f16x2.f32 %r1, %f2',
      'cvt.ftz.s32.s64 %r1, %rd2',
      'mov.b32 {%h1, %h2, %h3}, %r4',
      'mov.f32 {%h1, %h2}, %r4',
    ];
    expect(texts.map(refusalOf)).toMatchInlineSnapshot(`
      [
        "P2002: cannot translate add.foo.s32 because its modifier .foo is not supported",
        "P2003: cannot translate add.f16.f32 because it names more types than this translator supports",
        "P2003: cannot translate add.s8 because .s8 is not supported for it; use one of .u16, .u32, .u64, .s16, .s32, .s64, .u16x2, .s16x2",
        "P2002: cannot translate add.sat.u32 because .sat of integers is for .s32",
        "P2002: cannot translate add.ftz.f64 because .ftz does not go with .f64",
        "P2002: cannot translate fma.rz.f64 because .rz of .f64 is not supported; use .rn, or .f32",
        "P1003: cannot translate add.rn.rz.f32 because .rn and .rz exclude each other",
        "P1003: cannot translate add because it names 0 types, which is too few",
        "P1003: cannot translate add.s32 because it has 2 operands, expected 3",
        "P2002: cannot translate mul.s32 because it names none of .lo, .hi and .wide",
        "P2002: cannot translate mul.wide.s64 because products of 128 bits are not supported",
        "P2002: cannot translate mad.lo.sat.s32 because .sat goes with .hi",
        "P2002: cannot translate mul24.s32 because it names none of .lo and .hi",
        "P2002: cannot translate fma.f32 because it names no rounding",
        "P2002: cannot translate fma.rn.relu.f32 because .relu does not go with .f32",
        "P2002: cannot translate div.f32 because it names none of .rn, .rz, .rm, .rp, .approx, .full",
        "P2002: cannot translate div.approx.f64 because .approx does not go with it",
        "P2002: cannot translate rcp.full.f32 because .full does not go with it",
        "P2002: cannot translate rcp.approx.ftz.f64 because .ftz does not go with .f64",
        "P2002: cannot translate min.xorsign.f32 because .xorsign and .abs go together",
        "P2002: cannot translate setp.s32 because it names no comparison",
        "P2002: cannot translate setp.lt.b32 because .lt does not go with .b32",
        "P2002: cannot translate setp.lo.s32 because .lo is for unsigned integers",
        "P2002: cannot translate setp.ltu.s32 because .ltu is for floats",
        "P2002: cannot translate setp.lt.s32 because a predicate to combine with requires .and, .or or .xor",
        "P2002: cannot translate setp.lt.f16x2 because packed comparisons have two results, and it names one",
        "P2002: cannot translate lop3.b32 because its table is not a constant",
        "P2002: cannot translate shf.l.b32 because it names none of .wrap and .clamp",
        "P2002: cannot translate cvt.f32.f64 because it names none of .rn, .rz, .rm and .rp",
        "P2002: cannot translate cvt.s32.f32 because it names none of .rni, .rzi, .rmi and .rpi",
        "P2002: cannot translate cvt.rn.s32.f32 because it names none of .rni, .rzi, .rmi and .rpi",
        "P2002: cannot translate cvt.rn.f32.f16 because an exact conversion takes no rounding",
        "P2002: cannot translate cvt.rna.tf32.f32 because its modifier .rna is not supported",
        "P2002: cannot translate cvt.rn.e4m3x2.f32 because it lacks .satfinite",
        "P2002: cannot translate cvt.rn.f16x2.f32 because two values are packed, and it names one",
        "P2002: cannot translate cvt.ftz.s32.s64 because .ftz is for .f32",
        "P2002: cannot translate mov.b32 because .b32 has no 3 pieces",
        "P2002: cannot translate mov.f32 because a vector does not go with .f32",
      ]
    `);
  });

  it('never fail internally, for words in any combination', () => {
    const words = ['sat', 'ftz', 'rn', 'rzi', 'lo', 'wide', 'cc', 'relu', 'approx', 'lt', 'and', 'x'];
    const types = ['s32', 'u64', 'f32', 'f16x2', 'bf16', 'pred', 'b128', 'e4m3x2', 'u8'];
    const operands = ['%r1', '%rd2', '%p3', '{%r1, %r2}', '%r1|%p2', '7', '_'];
    let taken = 0;
    for (const opcode of Object.keys(arithmetic)) {
      for (const first of ['', ...words]) {
        for (const type of types) {
          for (let count = 1; count <= 5; count++) {
            const list = Array.from(
              { length: count },
              (_, i) => operands[(i * count + first.length) % operands.length],
            );
            const text = `${[opcode, first, type, type].filter((word) => word !== '').join('.')} ${list.join(', ')}`;
            taken += tried(text);
          }
        }
      }
    }
    expect(taken).toBeGreaterThan(0);
  });
});

/**
 * Returns 1 if the words are accepted. The tests' lowering reports values that a register cannot
 * hold.
 */
function tried(text: string): 0 | 1 {
  const instruction = instructionOf(text);
  try {
    arithmetic[instruction.words[0]]?.(instruction, new TestLowering());
    return 1;
  } catch (error) {
    if (error instanceof Refusal || (error instanceof Error && /register|assigned/.test(error.message))) return 0;
    throw error;
  }
}

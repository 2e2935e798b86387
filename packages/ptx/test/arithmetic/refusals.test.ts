import { describe, expect, inject, it } from 'vitest';
import { arithmetic } from '../../src/lower/arithmetic/arithmetic.ts';
import { instructionOf } from './support/instruction-text.ts';
import { Refusal, TestLowering } from './support/test-lowering.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

function refusalOf(text: string): string {
  const instruction = instructionOf(text);
  try {
    arithmetic[instruction.words[0]]?.lower(instruction, new TestLowering());
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
      'cvt.rna.relu.tf32.f32 %r1, %f2',
      'cvt.rn.e2m1x2.f32 %h1, %f2, %f3',
      'cvt.rn.satfinite.ue8m0x2.f32 %h1, %f2, %f3',
      'cvt.rn.f16x2.ue8m0x2 %r1, %h2',
      'fma.f32.bf16 %f1, %h2, %h3, %f4',
      'add.ftz.f32.f16 %f1, %h2, %f3',
      'mov.v4.b32 {%r1, %r2}, {%r3, %r4}',
      'cvt.rn.e4m3x2.f32 %h1, %f2, %f3',
      'cvt.rn.f16x2.f32 %r1, %f2',
      'cvt.ftz.s32.s64 %r1, %rd2',
      'mov.b32 {%h1, %h2, %h3}, %r4',
      'mov.f32 {%h1, %h2}, %r4',
    ];
    expect(texts.map(refusalOf)).toMatchInlineSnapshot(`
      [
        "P2002: add.foo.s32 has the modifier .foo, which is not supported",
        "P2003: add.f16.f32 names more types than are supported",
        "P2003: add.s8 does not support .s8; use one of .u16, .u32, .u64, .s16, .s32, .s64, .u16x2, .s16x2",
        "P2002: add.sat.u32 cannot use .sat: of the integer types, only .s32 has it",
        "P2002: add.ftz.f64 cannot use .ftz with .f64",
        "P2002: fma.rz.f64 rounds .f64 by .rz, which is not supported; use .rn, or .f32",
        "P1003: add.rn.rz.f32 cannot have both .rn and .rz",
        "P1003: add needs a type and names 0",
        "P1003: add.s32 needs 3 operands and has 2",
        "P2002: mul.s32 needs .lo, .hi or .wide",
        "P2002: mul.wide.s64 has a product of 128 bits, which is not supported",
        "P2002: mad.lo.sat.s32 can use .sat only with .hi",
        "P2002: mul24.s32 needs .lo or .hi",
        "P2002: fma.f32 needs .rn, .rz, .rm or .rp",
        "P2002: fma.rn.relu.f32 cannot use .relu with .f32",
        "P2002: div.f32 needs one of .rn, .rz, .rm, .rp, .approx, .full",
        "P2002: div.approx.f64 cannot use .approx; use one of .rn, .rz, .rm, .rp",
        "P2002: rcp.full.f32 cannot use .full; use one of .rn, .rz, .rm, .rp, .approx",
        "P2002: rcp.approx.ftz.f64 uses .ftz with .f64, which is not supported",
        "P2002: min.xorsign.f32 must name .xorsign and .abs together",
        "P2002: setp.s32 needs a comparison, such as .lt",
        "P2002: setp.lt.b32 cannot use .lt with .b32; use a type of integers",
        "P2002: setp.lo.s32 uses .lo, which is for unsigned integers only",
        "P2002: setp.ltu.s32 uses .ltu, which is for floats only",
        "P2002: setp.lt.s32 needs .and, .or or .xor for its last operand",
        "P2002: setp.lt.f16x2 compares pairs, so it needs two predicates (p|q)",
        "P2002: lop3.b32 needs a constant table",
        "P2002: shf.l.b32 needs .wrap or .clamp",
        "P2002: cvt.f32.f64 needs .rn, .rz, .rm or .rp",
        "P2002: cvt.s32.f32 needs .rni, .rzi, .rmi or .rpi",
        "P2002: cvt.rn.s32.f32 needs .rni, .rzi, .rmi or .rpi",
        "P2002: cvt.rn.f32.f16 is exact and takes no rounding",
        "P2002: cvt.rna.relu.tf32.f32 cannot use .relu with .rna",
        "P2002: cvt.rn.e2m1x2.f32 needs .satfinite",
        "P2002: cvt.rn.satfinite.ue8m0x2.f32 needs .rz or .rp",
        "P2002: cvt.rn.f16x2.ue8m0x2 cannot convert .ue8m0x2 to .f16x2; use cvt.rn.bf16x2.ue8m0x2",
        "P2002: fma.f32.bf16 needs .rn, .rz, .rm or .rp",
        "P2002: add.ftz.f32.f16 has the modifier .ftz, which is not supported",
        "P2002: mov.v4.b32 needs vectors of 4 elements",
        "P2002: cvt.rn.e4m3x2.f32 needs .satfinite",
        "P2002: cvt.rn.f16x2.f32 needs two values to pack",
        "P2002: cvt.ftz.s32.s64 uses .ftz, which is for .f32 only",
        "P2002: mov.b32 cannot split .b32 into 3 parts",
        "P2002: mov.f32 takes no vector; use .b16, .b32, .b64 or .b128",
      ]
    `);
  });

  it.for(slow)('never fail internally, for words in any combination', () => {
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
    arithmetic[instruction.words[0]]?.lower(instruction, new TestLowering());
    return 1;
  } catch (error) {
    if (error instanceof Refusal || (error instanceof Error && /register|assigned/.test(error.message))) return 0;
    throw error;
  }
}

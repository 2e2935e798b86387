import { describe, expect, inject, it } from 'vitest';

import { complaints, evaluate, type Operands } from './one-expression.ts';

const operands: Operands = {
  b: ['bool', 1n],
  off: ['bool', 0n],
  x8: ['i8', 127n],
  y8: ['u8', 255n],
  x16: ['i16', -5n],
  y16: ['u16', 65535n],
  x32: ['i32', 7n],
  y32: ['u32', 5n],
  x64: ['i64', -9n],
  y64: ['u64', 3n],
  h: ['f16', 0x3c00n], // 1
  g: ['bf16', 0x4040n], // 3
  f: ['f32', 0x40000000n], // 2
  d: ['f64', 0x3ff0000000000000n], // 1
  q: ['e4m3', 0x40n], // 2
  r: ['e5m2', 0x40n], // 2
  a: ['addr', 4096n],
  v: ['vec(u8, 4)', 1n, 2n, 3n, 255n],
  w: ['vec(f32, 2)', 0x3f800000n, 0x40000000n],
};

/** Tests expressions against values that were computed by hand from the rules of the language. */
function means(table: readonly (readonly [expression: string, value: string])[]): void {
  it.each(table.filter((_, i) => (i % 4 === 0) !== inject('slow')))('%s is %s', (expression, value) => {
    expect(evaluate(expression, operands)).toBe(value);
  });
}

/** Tests that expressions are errors with the given diagnostic code. */
function isWrong(table: readonly (readonly [expression: string, complaint: RegExp])[]): void {
  it.each(table)('%s is rejected: %s', (expression, complaint) => {
    const found = complaints(expression, operands);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(complaint);
  });
}

describe('a whole literal takes the type of the other operand, after promotion', () => {
  means([
    ['x8 + 1', 'i32 128'],
    ['y8 + 1', 'i32 256'],
    ['x16 - 1', 'i32 -6'],
    ['y16 + 1', 'i32 65536'],
    ['x32 + 1', 'i32 8'],
    ['1 - y32', 'u32 4294967292'],
    ['x64 * 2', 'i64 -18'],
    ['y64 + 18446744073709551615n', 'u64 2'],
    ['y64 * 9007199254740992', 'u64 27021597764222976'],
    ['a + 1', 'addr 4097'],
    ['h + 1', 'f16 0x4000'],
    ['g * 2', 'bf16 0x40c0'],
    ['f + 1', 'f32 0x40400000'],
    ['d + 1', 'f64 0x4000000000000000'],
    ['q + 1', 'f16 0x4200'],
    ['r * 2', 'f16 0x4400'],
    ['v + 1', 'vec(u8, 4) 2 3 4 0'],
    ['w * 2', 'vec(f32, 2) 0x40000000 0x40800000'],
    ['x32 + 0x7fffffff', 'i32 -2147483642'],
    ['x8 == 127', 'bool 1'],
    ['y32 > -1', 'bool 0'],
    ['b == true', 'bool 1'],
  ]);
});

describe('a negative literal of an unsigned type wraps around', () => {
  means([
    ['y32 + (-1)', 'u32 4'],
    ['y32 & -2', 'u32 4'],
    ['y64 + (-1n)', 'u64 2'],
    ['y32 + (-4294967296)', 'u32 5'],
    ['u8(-1) + 0', 'i32 255'],
    ['u16(-65536) + 0', 'i32 0'],
    ['max(y32, -1)', 'u32 4294967295'],
    ['y8 & -1', 'i32 255'],
    ['v & -2', 'vec(u8, 4) 0 2 2 254'],
  ]);
});

describe('literals in a float context are rounded once', () => {
  means([
    ['f + 0.1', 'f32 0x40066666'],
    ['h * 0.1', 'f16 0x2e66'],
    ['g + 0.1', 'bf16 0x4046'],
    ['d + 0.1', 'f64 0x3ff199999999999a'],
    ['h * 65504', 'f16 0x7bff'],
    ['f * 1e-46', 'f32 0x0'],
    ['f * 16777217', 'f32 0x4c000000'],
    ['f + 1 / 0', 'f32 0x7f800000'],
    ['f - 1 / 0', 'f32 0xff800000'],
    ['f * -0', 'f32 0x80000000'],
    ['f + 7 / 2', 'f32 0x40b00000'],
    ['fma(f, 3, 0.5)', 'f32 0x40d00000'],
    ['e4m3(0.1) + 0', 'f16 0x2e80'],
    ['w + 0.5', 'vec(f32, 2) 0x3fc00000 0x40200000'],
    ['vec(f32, 2)(0.5, 1) + 0', 'vec(f32, 2) 0x3f000000 0x3f800000'],
  ]);
});

describe('literals without a context are computed as in JavaScript, and then converted to i32', () => {
  means([
    ['(1 << 31) + x32', 'i32 -2147483641'],
    ['(1 << 31) + y32', 'u32 2147483653'],
    ['7 / 2 * 2 + x32', 'i32 14'],
    ['1 << x32', 'i32 128'],
    ['-8 >> 1 + x32', 'i32 -1'],
    ['let t = 5; t += x32; t', 'i32 12'],
    ['!0 == b', 'bool 1'],
    ['b && !0', 'bool 1'],
    ['min(3, 5) + x32', 'i32 10'],
    ['f * min(1, NaN)', 'f32 0x40000000'],
    ['f * max(NaN, 1)', 'f32 0x40000000'],
    ['f * min(0, -0)', 'f32 0x80000000'],
    ['f * max(-0, 0)', 'f32 0x0'],
    ['f * abs(-0)', 'f32 0x0'],
    ['y64 + max(9007199254740993n, 9007199254740992n)', 'u64 9007199254740996'],
    ['y64 + min(9007199254740993n, 9007199254740992n)', 'u64 9007199254740995'],
    ['x64 - abs(-5000000000n)', 'i64 -5000000009'],
    ['y64 - min(5000000000, 6000000000n)', 'u64 18446744068709551619'],
  ]);
});

describe('one of two literals takes its type from its context', () => {
  means([
    ['(b ? 1 : 2) + x64', 'i64 -8'],
    ['(off ? 1 : 0.5) + f', 'f32 0x40200000'],
    ['b ? 300 : x32', 'i32 300'],
    ['off ? -1 : y8', 'u8 255'],
    ['b ? -1 : y32', 'u32 4294967295'],
    ['b * 2 + f', 'f32 0x40800000'],
    ['(b + 1) + y64', 'u64 5'],
    ['+b + x32', 'i32 8'],
    ['-b + x32', 'i32 6'],
  ]);
});

describe('assignments with an operator convert the result back', () => {
  means([
    ['let t = y8; t += 1; t + 0', 'i32 0'],
    ['let t = x8; t++; t + 0', 'i32 -128'],
    ['let t = y8; t <<= 4; t + 0', 'i32 240'],
    ['let t = x16; t *= x8; t + 0', 'i32 -635'],
    ['let t = h; t *= 0.1; t + 0', 'f16 0x2e66'],
    ['let t = q; t += 0.3; t + 0', 'f16 0x4080'],
    ['let t = off; t += 1; t == b', 'bool 1'],
    ['let t = b; t -= b; t == off', 'bool 1'],
    ['let t = v; t += 1; t', 'vec(u8, 4) 2 3 4 0'],
    ['let t = y64; t -= y32; t + 0', 'u64 18446744073709551614'],
  ]);
});

describe('shift counts are masked to the width of the shifted value', () => {
  means([
    ['x32 << 33', 'i32 14'],
    ['x32 << -31', 'i32 14'],
    ['x8 << 31', 'i32 -2147483648'],
    ['x64 >> y32', 'i64 -1'],
    ['y64 << 65', 'u64 6'],
    ['v << 9', 'vec(u8, 4) 2 4 6 254'],
    ['v >> b', 'vec(u8, 4) 0 1 1 127'],
    ['v << v', 'vec(u8, 4) 2 8 24 128'],
    ['x32 << b', 'i32 14'],
  ]);
});

describe('a literal that does not fit is an error', () => {
  isWrong([
    ['x32 + 0.5', /^K\d+ .*0\.5/],
    ['7 / 2 + x32', /^K\d+ .*3\.5/],
    ['x32 + 2147483648', /^K\d+ 2147483648 does not fit i32/],
    ['y32 + 4294967296', /^K\d+ 4294967296 does not fit u32/],
    ['y32 + (-4294967297)', /^K\d+ -4294967297 does not fit u32/],
    ['u8(256)', /^K\d+ 256 does not fit u8/],
    ['i8(-129)', /^K\d+ -129 does not fit i8/],
    ['a + (-1)', /^K\d+ -1 does not fit addr/],
    ['f16(65520)', /^K\d+ 65520 does not fit f16/],
    ['f + 1e39', /^K\d+ .*does not fit f32/],
    ['e4m3(449)', /^K\d+ 449 does not fit e4m3/],
    ['x32 / 0', /^K\d+ /],
    ['x32 % 0', /^K\d+ /],
    ['x32 + f', /^K\d+ /],
    ['h + g', /^K\d+ /],
    ['q + g', /^K\d+ /],
    ['v + w', /^K\d+ /],
    ['f << 1', /^K\d+ /],
    ['f & 1', /^K\d+ /],
    ['a / 2', /^K\d+ /],
    ['a % 2', /^K\d+ /],
    ['-a', /^K\d+ /],
    ['addr(f)', /^K\d+ /],
    ['abs(a)', /^K\d+ /],
    ['abs(vec(e4m3, 16)(q))', /^K\d+ /],
    ['math.sqrt(x32)', /^K\d+ /],
    ['x32 >>> 1', /^K\d+ /],
    ['x32 << 1.5', /^K\d+ /],
    ['let t = x8; t += x32; t', /^K\d+ /],
    ['let t = f; t += d; t', /^K\d+ /],
  ]);
});

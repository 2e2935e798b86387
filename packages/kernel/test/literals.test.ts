import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

describe('a literal', () => {
  it('takes the type of the other operand, however it is spelled', () => {
    expect(lower('p[0] = x * 2; q[0] = n + 2; longs[0] = l - 2; p[1] = x + 0.1;')).toMatchInlineSnapshot(`
      "
      store p, (x * 2:f32)
      store q, (n + 2:u32)
      store longs, (l - 2n:u64)
      store (p +> 1:i32), (x + 0.10000000149011612:f32)
      "
    `);
  });

  it('is i32 without context', () => {
    expect(lower('let a = 1; a++; r[0] = a;')).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      %0 = 1:i32
      %0 = (%0 + 1:i32)
      store r, %0
      "
    `);
  });

  it('stays untyped as a constant, a choice or an argument', () => {
    expect(lower('const two = 2; const f = (z) => z; p[0] = two; q[0] = two; p[1] = f(two); p[2] = flag ? two : 3;'))
      .toMatchInlineSnapshot(`
      "
      store p, 2:f32
      store q, 2:u32
      store (p +> 1:i32), 2:f32
      store (p +> 2:i32), select(flag, 2:f32, 3:f32)
      "
    `);
  });

  it('stays untyped after an operator, and as one of two operands', () => {
    expect(lower('p[0] = -(flag ? 1 : 2); q[0] = ~(flag ? 1 : 2); p[1] = x * ((flag ? 1 : 2) * 3);')).toBe(
      [
        '',
        'store p, select(flag, -1:f32, -2:f32)',
        'store q, select(flag, 4294967294:u32, 4294967293:u32)',
        'store (p +> 1:i32), (x * select(flag, 3:f32, 6:f32))',
        '',
      ].join('\n'),
    );
  });

  it('is computed with other literals as in JavaScript, and then must fit', () => {
    expect(lower('p[0] = 7 / 2; r[0] = (7 - 1) / 2; r[1] = 1 << 31; r[2] = ~0; p[1] = 1 / 3; q[0] = 1 === 1 ? 1 : 2;'))
      .toMatchInlineSnapshot(`
      "
      store p, 3.5:f32
      store r, 3:i32
      store (r +> 1:i32), -2147483648:i32
      store (r +> 2:i32), -1:i32
      store (p +> 1:i32), 0.3333333432674408:f32
      store q, 1:u32
      "
    `);
    expect(wrong('r[0] = 7 / 2;')).toEqual(['K2004 3.5 is not an i32 [7 / 2]']);
  });

  it('may be negative for unsigned types, and wraps around', () => {
    expect(lower('q[0] = -1; bytes[0] = -128; longs[0] = -1; q[1] = n & ~3; q[2] = 1 << 31;')).toMatchInlineSnapshot(`
      "
      store q, 4294967295:u32
      store bytes, 128:u8
      store longs, 18446744073709551615n:u64
      store (q +> 1:i32), (n & 4294967292:u32)
      store (q +> 2:i32), 2147483648:u32
      "
    `);
  });

  it('must fit its type', () => {
    expect(wrong('q[0] = 4294967296;')).toEqual(['K2005 4294967296 does not fit u32 [4294967296]']);
    expect(wrong('q[0] = -4294967297;')).toEqual(['K2005 -4294967297 does not fit u32 [-4294967297]']);
    expect(wrong('r[0] = 2147483648;')).toEqual(['K2005 2147483648 does not fit i32 [2147483648]']);
    expect(wrong('r[0] = i + 2147483648;')).toEqual(['K2005 2147483648 does not fit i32 [2147483648]']);
    expect(wrong('const a = u8(256);')).toEqual(['K2005 256 does not fit u8 [256]']);
    expect(wrong('const a = addr(-1);')).toEqual(['K2005 -1 does not fit addr [-1]']);
    expect(wrong('const a = e4m3(449);')).toEqual(['K2005 449 does not fit e4m3 [449]']);
    expect(wrong('const a = u64(18446744073709551616n);')).toEqual([
      'K2005 18446744073709551616 does not fit u64 [18446744073709551616n]',
    ]);
  });

  it('is exact as a bigint', () => {
    expect(lower('longs[0] = 18446744073709551615n; longs[1] = l + 9007199254740993n; longs[2] = 2n === 2n ? 1 : 0;'))
      .toMatchInlineSnapshot(`
      "
      store longs, 18446744073709551615n:u64
      store (longs +> 1:i32), (l + 9007199254740993n:u64)
      store (longs +> 2:i32), 1n:u64
      "
    `);
  });

  it('may be written as !0 or !1 for a truth value, and as 1/0 for an infinity', () => {
    expect(
      lower('let a = !0; a = !1; p[0] = 1 / 0; p[1] = -1 / 0; p[2] = 0 / 0; q[0] = !0; p[3] = NaN; p[4] = Infinity;'),
    ).toMatchInlineSnapshot(`
      "
      local %0 a: bool
      %0 = true
      %0 = false
      store p, inf:f32
      store (p +> 1:i32), -inf:f32
      store (p +> 2:i32), nan:f32
      store q, 1:u32
      store (p +> 3:i32), nan:f32
      store (p +> 4:i32), inf:f32
      "
    `);
    expect(wrong('r[0] = 1 / 0;')).toEqual(['K2004 Infinity is not an i32 [1 / 0]']);
  });

  it('rounds to its float type', () => {
    expect(
      lower(
        'p[0] = 0.1; const a = f16(0.1), o = bf16(3.14159), z = f64(0.1), u = e4m3(0.3); p[1] = -0; halves[0] = 1e-45;',
      ),
    ).toMatchInlineSnapshot(`
      "
      store p, 0.10000000149011612:f32
      store (p +> 1:i32), -0:f32
      store halves, 0:bf16
      "
    `);
  });

  it('keeps -0 in floats and drops it in integers', () => {
    expect(lower('p[0] = -0; r[0] = -0; p[1] = x * -0;')).toMatchInlineSnapshot(`
      "
      store p, -0:f32
      store r, 0:i32
      store (p +> 1:i32), (x * -0:f32)
      "
    `);
  });

  it('decides conditions when the kernel is compiled', () => {
    expect(
      lower(
        'if (0) q[0] = 1; else q[0] = 2; if (1 < 2 && !0) q[1] = 3; q[2] = true ? 4 : 5; while (false) q[3] = 1; 0 && (q[4] = 1); 1 || (q[5] = 1);',
      ),
    ).toMatchInlineSnapshot(`
      "
      store q, 2:u32
      store (q +> 1:i32), 3:u32
      store (q +> 2:i32), 4:u32
      "
    `);
  });

  it('has the narrowest type that holds it as an index', () => {
    expect(lower('q[0] = 1; q[5] = 1; q[-1] = 1; q[5000000000] = 1;')).toMatchInlineSnapshot(`
      "
      store q, 1:u32
      store (q +> 5:i32), 1:u32
      store (q +> -1:i32), 1:u32
      store (q +> 5000000000n:i64), 1:u32
      "
    `);
  });
});

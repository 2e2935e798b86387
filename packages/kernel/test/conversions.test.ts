import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

describe('arithmetic', () => {
  it('promotes small integers and booleans to i32', () => {
    expect(lower('r[0] = b + c; r[1] = s * t; r[2] = flag + flag; r[3] = -b; r[4] = ~b; r[5] = +flag;'))
      .toMatchInlineSnapshot(`
      "
      store r, (i32(b) + i32(c))
      store (r +> 1:i32), (i32(s) * i32(t))
      store (r +> 2:i32), (i32(flag) + i32(flag))
      store (r +> 3:i32), neg(i32(b))
      store (r +> 4:i32), (~i32(b))
      store (r +> 5:i32), select(flag, 1:i32, 0:i32)
      "
    `);
  });

  it('converts both sides to the wider type, and to the unsigned one of two equally wide', () => {
    expect(lower('q[0] = i + n; longs[0] = n + l; const a = i * k; longs[1] = k + l; const z = c + k;'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: i64
      local %1 z: i64
      store q, (u32(i) + n)
      store longs, (u64(n) + l)
      %0 = (i64(i) * k)
      store (longs +> 1:i32), (u64(k) + l)
      %1 = (i64(c) + k)
      "
    `);
  });

  it('converts floats to the wider one', () => {
    expect(lower('const a = x + d; p[0] = h * x; p[1] = g - x; p[2] = h + e;')).toMatchInlineSnapshot(`
      "
      local %0 a: f64
      %0 = (f64(x) + d)
      store p, (f32(h) * x)
      store (p +> 1:i32), (f32(g) - x)
      store (p +> 2:i32), f32((h + f16(e)))
      "
    `);
    expect(wrong('const a = h + g;')).toEqual(['K2002 f16 and bf16 have no common type [h + g]']);
  });

  it('never mixes integers and floats', () => {
    expect(wrong('p[0] = x + n;')).toEqual(['K2001 integers and floats do not mix: f32 and u32 [x + n]']);
    expect(wrong('if (x < n) q[0] = 1;')).toEqual(['K2001 integers and floats do not mix: f32 and u32 [x < n]']);
    expect(wrong('p[0] = flag * x;')).toEqual(['K2001 integers and floats do not mix: bool and f32 [flag * x]']);
  });

  it('computes e4m3 in f16', () => {
    expect(lower('const a = e * e; let z = e; z += 1; p[0] = e; p[1] = -e; const o = e > 1;')).toMatchInlineSnapshot(`
      "
      local %0 a: f16
      local %1 z: e4m3
      local %2 o: bool
      %0 = (f16(e) * f16(e))
      %1 = e
      %1 = e4m3((f16(%1) + 1:f16))
      store p, f32(e)
      store (p +> 1:i32), f32(neg(f16(e)))
      %2 = (f16(e) > 1:f16)
      "
    `);
  });

  it('determines the type of a shift from its left side only', () => {
    expect(
      lower(
        'q[0] = n >> i; r[0] = i >> n; r[1] = c << 2; longs[0] = l >> 33; longs[1] = l << n; r[2] = 1 << n; r[3] = i << 33;',
      ),
    ).toMatchInlineSnapshot(`
      "
      store q, (n >> u32(i))
      store r, (i >> i32(n))
      store (r +> 1:i32), (i32(c) << 2:i32)
      store longs, (l >> 33n:u64)
      store (longs +> 1:i32), (l << u64(n))
      store (r +> 2:i32), (1:i32 << i32(n))
      store (r +> 3:i32), (i << 1:i32)
      "
    `);
  });

  it('computes addresses as addresses', () => {
    expect(lower('const a = at + 4, o = at + l, z = at * n; longs[0] = at; q[at] = u32(at); const u = addr(i);'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: addr
      local %1 o: addr
      local %2 z: addr
      local %3 u: addr
      %0 = (at + 4:addr)
      %1 = (at + addr(l))
      %2 = (at * addr(n))
      store longs, u64(at)
      store (q +> i64(at)), u32(at)
      %3 = addr(i)
      "
    `);
    expect(wrong('const a = at & 1;')).toEqual(['K2008 `&` is not defined for addr [at & 1]']);
    expect(wrong('q[0] = at;')).toEqual(['K2003 addr is not converted to u32 implicitly [at]']);
  });
});

describe('assignment', () => {
  it('widens and changes signedness, and never narrows', () => {
    expect(lower('longs[0] = n; r[0] = n; q[0] = c; r[1] = flag; longs[1] = k;')).toMatchInlineSnapshot(`
      "
      store longs, u64(n)
      store r, i32(n)
      store q, u32(c)
      store (r +> 1:i32), i32(flag)
      store (longs +> 1:i32), u64(k)
      "
    `);
    expect(wrong('q[0] = l;')).toEqual(['K2003 u64 is not converted to u32 implicitly [l]']);
    expect(wrong('bytes[0] = n;')).toEqual(['K2003 u32 is not converted to u8 implicitly [n]']);
    expect(wrong('p[0] = d;')).toEqual(['K2003 f64 is not converted to f32 implicitly [d]']);
    expect(wrong('let a = flag; a = n;')).toEqual(['K2003 u32 is not converted to bool implicitly [n]']);
  });

  it('with an operator converts back to the type of the left side, if the right side fits it', () => {
    expect(
      lower(
        'bytes[0] += 3; bytes[1] += b; let a = c; a *= c; a <<= n; a >>= l; let o = i; o += n; let z = x; z += h; let u = flag; u |= flag;',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 v: u8
      local %1 at: ptr(u8)
      local %2 v: u8
      local %3 a: i8
      local %4 o: i32
      local %5 z: f32
      local %6 u: bool
      %0 = load bytes
      store bytes, u8((i32(%0) + 3:i32))
      %1 = (bytes +> 1:i32)
      %2 = load %1
      store %1, u8((i32(%2) + i32(b)))
      %3 = c
      %3 = i8((i32(%3) * i32(c)))
      %3 = i8((i32(%3) << i32(n)))
      %3 = i8((i32(%3) >> i32(l)))
      %4 = i
      %4 = i32((u32(%4) + n))
      %5 = x
      %5 = (%5 + f32(h))
      %6 = flag
      %6 = bool((i32(%6) | i32(flag)))
      "
    `);
    expect(wrong('let a = b; a += n;')).toEqual(['K2003 u32 is not converted to u8 implicitly [n]']);
    expect(wrong('let a = x; a += d;')).toEqual(['K2003 f64 is not converted to f32 implicitly [d]']);
    expect(wrong('let a = n; a += x;')).toEqual(['K2001 integers and floats do not mix: u32 and f32 [a += x]']);
    expect(wrong('let a = n; a += 0.5;')).toEqual(['K2004 0.5 is not a u32 [0.5]']);
  });

  it('with ++ and -- keeps the type', () => {
    expect(lower('let a = b; a++; --a; let o = x; o++; bytes[0]++; const z = bytes[1]--; const u = ++q[0];'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: u8
      local %1 o: f32
      local %2 v: u8
      local %3 at: ptr(u8)
      local %4 v: u8
      local %5 v: u32
      local %6 u: u32
      %0 = b
      %0 = u8((i32(%0) + 1:i32))
      %0 = u8((i32(%0) - 1:i32))
      %1 = x
      %1 = (%1 + 1:f32)
      %2 = load bytes
      store bytes, u8((i32(%2) + 1:i32))
      %3 = (bytes +> 1:i32)
      %4 = load %3
      store %3, u8((i32(%4) - 1:i32))
      %5 = load q
      store q, (%5 + 1:u32)
      %6 = (%5 + 1:u32)
      "
    `);
  });
});

describe('a cast', () => {
  it('appears in the IR only if it changes something', () => {
    expect(
      lower('p[0] = f32(n); q[0] = u32(x); q[1] = u32(n); r[0] = i32(l); const a = bool(n), o = f16(d), z = u8(i);'),
    ).toMatchInlineSnapshot(`
      "
      local %0 a: bool
      local %1 o: f16
      local %2 z: u8
      store p, f32(n)
      store q, u32(x)
      store (q +> 1:i32), n
      store r, i32(l)
      %0 = bool(n)
      %1 = f16(d)
      %2 = u8(i)
      "
    `);
  });

  it('of a literal follows the rules of literals', () => {
    expect(
      lower('const a = i32(true), o = bool(5), z = f32(7 / 2), u = u32(-1); r[0] = a; p[0] = z; q[0] = u; q[1] = o;'),
    ).toMatchInlineSnapshot(`
      "
      store r, 1:i32
      store p, 3.5:f32
      store q, 4294967295:u32
      store (q +> 1:i32), u32(true)
      "
    `);
    expect(wrong('const a = i32(0.5);')).toEqual(['K2004 0.5 is not an i32 [0.5]']);
  });
});

describe('a comparison', () => {
  it('converts like arithmetic, and == equals ===', () => {
    expect(
      lower(
        'q[0] = i < n; q[1] = b == c; q[2] = flag === true; q[3] = flag !== flag; q[4] = x >= 0.5; q[5] = l === 1n;',
      ),
    ).toMatchInlineSnapshot(`
      "
      store q, u32((u32(i) < n))
      store (q +> 1:i32), u32((i32(b) == i32(c)))
      store (q +> 2:i32), u32((i32(flag) == 1:i32))
      store (q +> 3:i32), u32((flag != flag))
      store (q +> 4:i32), u32((x >= 0.5:f32))
      store (q +> 5:i32), u32((l == 1n:u64))
      "
    `);
  });

  it('compares pointers into the same memory', () => {
    expect(lower('if (p.offset(1) === p) q[0] = 1; if (p < p.offset(n)) q[1] = 1;')).toMatchInlineSnapshot(`
      "
      if ((p +> 1:i32) == p) {
        store q, 1:u32
      }
      if (p < (p +> n)) {
        store (q +> 1:i32), 1:u32
      }
      "
    `);
    expect(wrong('const a = localArray(f32, 4); if (a === p) q[0] = 1;')).toEqual([
      'K2010 ptr(f32, local) and ptr(f32) cannot be compared [a === p]',
    ]);
  });
});

describe('a condition', () => {
  it('is bool, or a number that is not zero', () => {
    expect(
      lower(
        'if (n) q[0] = 1; if (x) q[1] = 1; if (!i) q[2] = 1; if (!!n) q[3] = 1; if (flag && n || l) q[4] = 1; if (e) q[5] = 1; if (b) q[6] = 1;',
      ),
    ).toMatchInlineSnapshot(`
      "
      if (n != 0:u32) {
        store q, 1:u32
      }
      if (x != 0:f32) {
        store (q +> 1:i32), 1:u32
      }
      if (i == 0:i32) {
        store (q +> 2:i32), 1:u32
      }
      if (n != 0:u32) {
        store (q +> 3:i32), 1:u32
      }
      if ((flag && (n != 0:u32)) || (l != 0n:u64)) {
        store (q +> 4:i32), 1:u32
      }
      if (f16(e) != 0:f16) {
        store (q +> 5:i32), 1:u32
      }
      if (b != 0:u8) {
        store (q +> 6:i32), 1:u32
      }
      "
    `);
  });
});

describe('vectors', () => {
  it('compute element by element, and accept a scalar for all elements', () => {
    expect(lower('const a = v + w, o = v * 2, z = x * v, u = -v; p.cast(vec(f32, 4))[n] = a;')).toMatchInlineSnapshot(`
      "
      local %0 a: vec(f32, 4)
      local %1 o: vec(f32, 4)
      local %2 z: vec(f32, 4)
      local %3 u: vec(f32, 4)
      %0 = (v + w)
      %1 = (v * vec(f32, 4)[2:f32])
      %2 = (vec(f32, 4)[x] * v)
      %3 = neg(v)
      store (cast(vec(f32, 4), p) +> n), %0
      "
    `);
    expect(wrong('const a = v + d;')).toEqual(['K2002 vec(f32, 4) and f64 have no common type [v + d]']);
  });

  it('can be created, taken apart and bitcast', () => {
    expect(
      lower(
        'const f4 = vec(f32, 4); let a = f4(1, 2, 3, x); a = f4(0); a = withLane(a, 1, lane(v, n)); a = v; p[0] = lane(a, 3); const z = bitcast(vec(u32, 4), v), u = vec(f16, 4)(v);',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 a: vec(f32, 4)
      local %1 z: vec(u32, 4)
      local %2 u: vec(f16, 4)
      %0 = vec(f32, 4)[1:f32, 2:f32, 3:f32, x]
      %0 = vec(f32, 4)[0:f32]
      %0 = withLane(%0, 1:u32, lane(v, n))
      %0 = v
      store p, lane(%0, 3:u32)
      %1 = bitcast(vec(u32, 4), v)
      %2 = vec(f16, 4)(v)
      "
    `);
    expect(wrong('const a = vec(f32, 4)(1, 2);')).toEqual([
      'K1103 vec(f32, 4) takes 1 or 4 arguments, given 2 [vec(f32, 4)(1, 2)]',
    ]);
  });
});

describe('types', () => {
  it('of values and their sizes are compile-time constants', () => {
    expect(
      lower(
        'const size = (z) => sizeOf(typeOf(z)); q[0] = size(b) + size(v) + size(longs) + size(1); if (typeOf(x) === f32) q[1] = 1; else q.nothing(); halves[0] = typeOf(halves)(x);',
      ),
    ).toMatchInlineSnapshot(`
      "
      store q, 29:u32
      store (q +> 1:i32), 1:u32
      store halves, bf16(x)
      "
    `);
    expect(wrong('const a = sizeOf(n);')).toEqual(["K1104 sizeOf: 'type' must be a type such as f32 [n]"]);
    expect(wrong('const a = sizeOf(bool);')).toEqual(['K2024 memory cannot hold bool [bool]']);
    expect(wrong('const a = typeOf(f32);')).toEqual(['K2021 the type f32 is not a value at run time [f32]']);
    expect(wrong('const a = typeOf();')).toEqual(['K1103 typeOf takes 1 argument, given 0 [typeOf()]']);
  });
});

describe('math', () => {
  it("uses its operand's type", () => {
    expect(
      lower(
        'p[0] = math.sqrt(x); const a = math.pow(d, 2), o = fma(x, 2, y), z = abs(i), u = abs(n), t2 = min(n, 3), t3 = max(0.5, x); q[0] = popcount(b); longs[0] = clz(l); r[0] = abs(c);',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 a: f64
      local %1 o: f32
      local %2 z: i32
      local %3 t2: u32
      local %4 t3: f32
      store p, math.sqrt(x)
      %0 = math.pow(d, 2:f64)
      %1 = math.fma(x, 2:f32, y)
      %2 = math.abs(i)
      %3 = min(n, 3:u32)
      %4 = max(0.5:f32, x)
      store q, u32(popcount(i32(b)))
      store longs, clz(l)
      store r, math.abs(i32(c))
      "
    `);
  });
});

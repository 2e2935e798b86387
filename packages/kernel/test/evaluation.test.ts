import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

describe('evaluation', () => {
  it('evaluation reads an operand before later operands change it', () => {
    expect(lower('let a = n; q[0] = a + (a = 5, m); q[1] = a++ + a++; q[a] = a = 7;')).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 before: u32
      local %2 a: u32
      local %3 a: u32
      local %4 before: ptr(u32)
      %0 = n
      %1 = %0
      %0 = 5:u32
      store q, (%1 + m)
      %2 = %0
      %0 = (%0 + 1:u32)
      %3 = %0
      %0 = (%0 + 1:u32)
      store (q +> 1:i32), (%2 + %3)
      %4 = (q +> %0)
      %0 = 7:u32
      store %4, %0
      "
    `);
  });

  it('assigns and stores with &&= and ||= only if the left side requires it, and evaluates its location once', () => {
    expect(lower('let a = n; a &&= q[1]; a ||= m; q[a++] &&= 5; const z = (q[2] ||= n); q[3] = z;'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 v: u32
      local %2 a: u32
      local %3 at: ptr(u32)
      local %4 v: u32
      local %5 at: ptr(u32)
      local %6 v: u32
      local %7 chosen: u32
      local %8 z: u32
      %0 = n
      if (%0 != 0:u32) {
        %1 = load (q +> 1:i32)
        %0 = %1
      }
      if (%0 == 0:u32) {
        %0 = m
      }
      %2 = %0
      %0 = (%0 + 1:u32)
      %3 = (q +> %2)
      %4 = load %3
      if (%4 != 0:u32) {
        store %3, 5:u32
      }
      %5 = (q +> 2:i32)
      %6 = load %5
      %7 = %6
      if (%6 == 0:u32) {
        store %5, n
        %7 = n
      }
      %8 = %7
      store (q +> 3:i32), %8
      "
    `);
    expect(lower('let o = flag; o &&= (q[0] = 1, q[1] > 2); o ||= n; q[4] = (o &&= n > 1) ? 1 : 0;'))
      .toMatchInlineSnapshot(`
      "
      local %0 o: bool
      local %1 v: u32
      %0 = flag
      if %0 {
        store q, 1:u32
        %1 = load (q +> 1:i32)
        %0 = (%1 > 2:u32)
      }
      %0 = (%0 || (n != 0:u32))
      %0 = (%0 && (n > 1:u32))
      store (q +> 4:i32), select(%0, 1:u32, 0:u32)
      "
    `);
  });

  it('combines && and || with an update of a number', () => {
    expect(wrong('let a = n; a = a || 3; q[0] = a;')).toEqual([expect.stringContaining('K2030')]);
    expect(wrong('let o = flag; o = o || n; q[0] = +o; let a = n; a = m && n; a = +(a || 3); q[0] = a;')).toEqual([]);
  });

  it('keeps arguments, receivers and choices from before later assignments', () => {
    expect(lower('let a = n; q[0] = min(a, a = 5); q[1] = (a > 1 ? 1 : 2) + (a = 0, m);')).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 before: u32
      local %2 before: bool
      %0 = n
      %1 = %0
      %0 = 5:u32
      store q, min(%1, %0)
      %2 = (%0 > 1:u32)
      %0 = 0:u32
      store (q +> 1:i32), (select(%2, 1:u32, 2:u32) + m)
      "
    `);
    expect(lower('let o = q; o.store(0, (o = q.offset(4), 1));')).toMatchInlineSnapshot(`
      "
      local %0 o: ptr(u32)
      local %1 before: ptr(u32)
      %0 = q
      %1 = %0
      %0 = (q +> 4:i32)
      store %1, 1:u32
      "
    `);
    expect(lower('let a = n; const o = { a, b: a++ }; a = 9; q[o.a] = o.b;')).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 a: u32
      local %2 a: u32
      %0 = n
      %1 = %0
      %2 = %0
      %0 = (%0 + 1:u32)
      %0 = 9:u32
      store (q +> %1), %2
      "
    `);
  });

  it('loads once for each load in the text', () => {
    expect(lower('const a = q[0]; q[0] = 5; q[1] = a + a + q[0];')).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 v: u32
      %0 = load q
      store q, 5:u32
      %1 = load q
      store (q +> 1:i32), ((%0 + %0) + %1)
      "
    `);
  });

  it('of a compound assignment evaluates the target once, and reads it before the right side', () => {
    expect(lower('let a = i; q[a++] += q[a]; q[n] -= m;')).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 a: i32
      local %2 at: ptr(u32)
      local %3 v: u32
      local %4 v: u32
      local %5 at: ptr(u32)
      local %6 v: u32
      %0 = i
      %1 = %0
      %0 = (%0 + 1:i32)
      %2 = (q +> %1)
      %3 = load %2
      %4 = load (q +> %0)
      store %2, (%3 + %4)
      %5 = (q +> n)
      %6 = load %5
      store %5, (%6 - m)
      "
    `);
  });

  it('of x++ gives the previous value, and of ++x the next', () => {
    expect(lower('let a = i; r[0] = a++; r[1] = ++a; r[2] = -(a--);')).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 a: i32
      local %2 a: i32
      %0 = i
      %1 = %0
      %0 = (%0 + 1:i32)
      store r, %1
      %0 = (%0 + 1:i32)
      store (r +> 1:i32), %0
      %2 = %0
      %0 = (%0 - 1:i32)
      store (r +> 2:i32), neg(%2)
      "
    `);
  });

  it('of && || and ?: runs only the selected operand', () => {
    expect(
      lower(
        'flag && q[0] > 1 && (q[1] = 2); flag || q.atomicAdd(0, 1); const a = flag ? q[2] : n; q[3] = flag && q[4] > 0;',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 chosen: bool
      local %2 v: u32
      local %3 chosen: u32
      local %4 a: u32
      local %5 v: u32
      local %6 chosen: bool
      if flag {
        %0 = load q
        %1 = (%0 > 1:u32)
      } else {
        %1 = false
      }
      if %1 {
        store (q +> 1:i32), 2:u32
      }
      if (!flag) {
        atomic add q, 1:u32 seq_cst.system
      }
      if flag {
        %2 = load (q +> 2:i32)
        %3 = %2
      } else {
        %3 = n
      }
      %4 = %3
      if flag {
        %5 = load (q +> 4:i32)
        %6 = (%5 > 0:u32)
      } else {
        %6 = false
      }
      store (q +> 3:i32), u32(%6)
      "
    `);
  });

  it('of a comma sequence gives the last value', () => {
    expect(lower('let a = 0; q[0] = (a = 3, q[1] = 4, n); for (let o = (a = 1, 0), z = 5; o < z; o++, a += 2) ;'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 o: i32
      %0 = 0:i32
      %0 = 3:i32
      store (q +> 1:i32), 4:u32
      store q, n
      %0 = 1:i32
      %1 = 0:i32
      loop while (%1 < 5:i32) {
      } update {
        %1 = (%1 + 1:i32)
        %0 = (%0 + 2:i32)
      }
      "
    `);
  });

  it('of an assignment gives the converted value', () => {
    expect(lower('let a = i, o; o = a = 3; longs[0] = q[0] = n;')).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 o: i32
      %0 = i
      %0 = 3:i32
      %1 = %0
      store q, n
      store longs, u64(n)
      "
    `);
  });
});

describe('variables', () => {
  it('have the type of their first value, and const names the value at that moment', () => {
    expect(lower('let a = n; const o = a; a = 5; const z = a + 1; a++; q[0] = o + z + a;')).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 o: u32
      local %2 z: u32
      %0 = n
      %1 = %0
      %0 = 5:u32
      %2 = (%0 + 1:u32)
      %0 = (%0 + 1:u32)
      store q, ((%1 + %2) + %0)
      "
    `);
  });

  it('without an initialiser have the type of their first assignment', () => {
    expect(lower('let a, o; if (flag) a = n; else a = 3; o = x; p[0] = o; q[0] = a;')).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 o: f32
      if flag {
        %0 = n
      } else {
        %0 = 3:u32
      }
      %1 = x
      store p, %1
      store q, %0
      "
    `);
    expect(wrong('let a; a = n; a = x;')).toEqual(['K2003 f32 is not converted to u32 implicitly [x]']);
  });

  it('shadow as in JavaScript', () => {
    expect(
      lower(
        'let a = n; { let a = i; a++; { const a = x; p[0] = a; } r[0] = a; } q[0] = a; for (let a = 0; a < 2; a++) r[a] = a; const f = (a) => a + 1; q[1] = f(a);',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 a: i32
      %0 = i
      %0 = (%0 + 1:i32)
      store p, x
      store r, %0
      store q, n
      %1 = 0:i32
      loop while (%1 < 2:i32) {
        store (r +> %1), %1
      } update {
        %1 = (%1 + 1:i32)
      }
      store (q +> 1:i32), (n + 1:u32)
      "
    `);
  });

  it('declared with var belong to the function', () => {
    expect(wrong('late = m; if (flag) { for (;;) { var late = n; break; } }')).toEqual([
      expect.stringContaining("K1112 'late' has no value yet"),
    ]);
    expect(lower('if (flag) { var a = n; } var a = 5; q[0] = a; for (var o = 0; o < 3; o++) q[o] = 1; r[0] = o;'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 o: i32
      if flag {
        %0 = n
      }
      %0 = 5:u32
      store q, %0
      %1 = 0:i32
      loop while (%1 < 3:i32) {
        store (q +> %1), 1:u32
      } update {
        %1 = (%1 + 1:i32)
      }
      store r, %1
      "
    `);
  });

  it('are destructured, nested patterns too', () => {
    expect(
      lower(
        'const { x: a, y: o } = threadIdx, { inner: { z }, f } = { inner: { z: n }, f: (t) => t + 1 }; let { u } = { u: n }; u++; q[a] = o + z + f(u);',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 u: u32
      local %1 t: u32
      %0 = n
      %0 = (%0 + 1:u32)
      %1 = %0
      store (q +> threadIdx.x), ((threadIdx.y + n) + (%1 + 1:u32))
      "
    `);
  });

  it('hold pointers, and can be reassigned to others', () => {
    expect(lower('let a = p; a = a.offset(4); a[n] = 1; a = a.offset(n); p[0] = a[1];')).toMatchInlineSnapshot(`
      "
      local %0 a: ptr(f32)
      local %1 v: f32
      %0 = p
      %0 = (%0 +> 4:i32)
      store (%0 +> n), 1:f32
      %0 = (%0 +> n)
      %1 = load (%0 +> 1:i32)
      store p, %1
      "
    `);
    expect(wrong('let a = p; a = q;')).toEqual(['K2003 ptr(u32) is not converted to ptr(f32) implicitly [q]']);
  });

  it('cannot be read before they have a value', () => {
    expect(wrong('let a; q[0] = a;')).toEqual(["K1112 'a' has no value yet [a]"]);
    expect(wrong('q[0] = a; const a = n;')).toEqual(["K1112 'a' has no value yet [a]"]);
    expect(wrong('let a; a += 1;')).toEqual(["K1112 'a' has no value yet [a]"]);
  });

  it('that have an error cause no further reports', () => {
    expect(wrong('let a = missing; a += 1; q[a] = a; const o = a + 1; p[0] = math.sqrt(o);')).toEqual([
      "K1005 'missing' is not defined inside the kernel [missing]",
    ]);
  });
});

describe('branches', () => {
  it('early exits become branches that skip the rest', () => {
    expect(lower('if (n > 4) return; q[0] = 1; if (flag) { q[1] = 2; return; } q[2] = 3;')).toMatchInlineSnapshot(`
      "
      if (!(n > 4:u32)) {
        store q, 1:u32
        if flag {
          store (q +> 1:i32), 2:u32
        } else {
          store (q +> 2:i32), 3:u32
        }
      }
      "
    `);
    expect(lower('if (n > 4) { if (flag) return; q[0] = 1; } else return; q[2] = 3;')).toMatchInlineSnapshot(`
      "
      if (n > 4:u32) {
        if (!flag) {
          store q, 1:u32
          store (q +> 2:i32), 3:u32
        }
      }
      "
    `);
  });

  it('are the same after minification', () => {
    const plain = lower('if (n > 4) { return; } q[0] = 1; if (flag) { q[1] = 2; }');
    expect(lower('n > 4 || (q[0] = 1, flag && (q[1] = 2));')).toBe(plain);
    expect(lower('if (!(n > 4)) { q[0] = 1; if (flag) q[1] = 2; }')).toBe(plain);
  });

  it('with a known condition keep one arm, and code after a return is removed', () => {
    expect(lower('if (true) { q[0] = 1; } else q[0] = x; return; q[1] = missing2;'.replace('missing2', 'x')))
      .toMatchInlineSnapshot(`
      "
      store q, 1:u32
      "
    `);
  });

  it('may end a kernel with a void expression', () => {
    expect(lower('return flag ? void (q[0] = 1) : void q.atomicAdd(0, 1);')).toMatchInlineSnapshot(`
      "
      if flag {
        store q, 1:u32
      } else {
        atomic add q, 1:u32 seq_cst.system
      }
      "
    `);
    expect(lower('return void 0;')).toBe('\n\n');
  });
});

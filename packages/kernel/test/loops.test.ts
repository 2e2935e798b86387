import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

describe('a loop', () => {
  it('tests once before each round if its test only computes', () => {
    expect(lower('for (let a = 0; a < n; a++) q[a] = 1; let o = n; while (o) o--;')).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 o: u32
      %0 = 0:i32
      loop while (u32(%0) < n) {
        store (q +> %0), 1:u32
      } update {
        %0 = (%0 + 1:i32)
      }
      %1 = n
      loop while (%1 != 0:u32) {
        %1 = (%1 - 1:u32)
      }
      "
    `);
  });

  it('tests within each round if its test loads', () => {
    expect(lower('for (let a = 0; q[a] < n; a++) q[a] = 1;')).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 v: u32
      %0 = 0:i32
      loop {
        %1 = load (q +> %0)
        if (!(%1 < n)) {
          break
        }
        store (q +> %0), 1:u32
      } update {
        %0 = (%0 + 1:i32)
      }
      "
    `);
  });

  it('may test after its rounds', () => {
    expect(lower('let a = n; do { if (a === 7) continue; a -= 2; } while (a > 3); do q[0] = a; while (false);'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: u32
      %0 = n
      loop {
        if (%0 != 7:u32) {
          %0 = (%0 - 2:u32)
        }
      } update {
        if (!(%0 > 3:u32)) {
          break
        }
      }
      loop {
        store q, %0
      } update {
        break
      }
      "
    `);
  });

  it('continues with the update, and ends at a break', () => {
    expect(lower('for (let a = 0; ; a++) { if (q[a] > 1) continue; if (q[a] === 0) break; q[a] = 1; }'))
      .toMatchInlineSnapshot(`
      "
      local %0 a: i32
      local %1 v: u32
      local %2 v: u32
      %0 = 0:i32
      loop {
        %1 = load (q +> %0)
        if (!(%1 > 1:u32)) {
          %2 = load (q +> %0)
          if (%2 == 0:u32) {
            break
          }
          store (q +> %0), 1:u32
        }
      } update {
        %0 = (%0 + 1:i32)
      }
      "
    `);
    expect(
      lower('for (;;) { if (flag) break; q[0] = 1; for (let a = 0; a < 3; a++) { if (a === n) break; q[a] = 2; } }'),
    ).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      loop while (!flag) {
        store q, 1:u32
        %0 = 0:i32
        loop while (%0 < 3:i32) {
          if (u32(%0) == n) {
            break
          }
          store (q +> %0), 2:u32
        } update {
          %0 = (%0 + 1:i32)
        }
      }
      "
    `);
  });

  it('is the same in every spelling that minifiers use', () => {
    const plain = lower('let a = 0; while (a < n) { q[a] = 1; a++; }');
    expect(lower('let a = 0; for (; a < n; ) { q[a] = 1; a++; }')).toBe(plain);
    expect(lower('let a = 0; for (; a < n; a++) q[a] = 1;').replace('} update {\n  ', '  ')).toBe(plain);
  });

  it('that never runs is removed', () => {
    expect(lower('for (let a = 0; false; a++) q[a] = x;')).toMatchInlineSnapshot(`
      "
      local %0 a: i32
      %0 = 0:i32
      "
    `);
  });

  it("that never ends also ends the kernel's code", () => {
    expect(lower('for (;;) q[0] = 1; q[1] = x;')).toMatchInlineSnapshot(`
      "
      loop {
        store q, 1:u32
      }
      "
    `);
  });
});

describe('unroll', () => {
  it('repeats its body with each number, as a literal', () => {
    expect(lower('for (const a of unroll(3)) p[a] = a; for (let a of unroll(0)) q[a] = x;')).toMatchInlineSnapshot(`
      "
      store p, 0:f32
      store (p +> 1:i32), 1:f32
      store (p +> 2:i32), 2:f32
      "
    `);
  });

  it('supports break and continue, at compile time or at run time', () => {
    expect(lower('for (const a of unroll(4)) { if (a === 1) continue; if (a === 3) break; q[a] = 1; }'))
      .toMatchInlineSnapshot(`
      "
      store q, 1:u32
      store (q +> 2:i32), 1:u32
      "
    `);
    expect(lower('for (const a of unroll(2)) { if (n === a) continue; if (m > a) break; q[a] = 1; } q[9] = 2;'))
      .toMatchInlineSnapshot(`
      "
      block 0 {
        if (n != 0:u32) {
          if (m > 0:u32) {
            leave 0
          }
          store q, 1:u32
        }
        if (n != 1:u32) {
          if (!(m > 1:u32)) {
            store (q +> 1:i32), 1:u32
          }
        }
      }
      store (q +> 9:i32), 2:u32
      "
    `);
  });

  it('stops lowering after a round that always breaks', () => {
    expect(lower('const a = localArray(f32, 2); for (const o of unroll(100)) { if (o === 2) break; a[o] = 1; }'))
      .toMatchInlineSnapshot(`
      "
      array #0 localArray: local f32[2]
      store #0, 1:f32
      store (#0 +> 1:i32), 1:f32
      "
    `);
  });

  it('accepts constants from use, and values computed from them', () => {
    expect(
      lower('for (const a of unroll(TILE / 2)) for (const o of unroll(TILE - 3)) q[a * 2 + o] = n;', {
        use: { TILE: 4 },
      }),
    ).toMatchInlineSnapshot(`
      "
      store q, n
      store (q +> 2:i32), n
      "
    `);
  });

  it('requires a constant of reasonable size', () => {
    expect(wrong('for (const a of unroll(n)) q[a] = 1;')).toEqual([
      'K1113 the count of unroll(n) must be a compile-time constant [n]',
    ]);
    expect(wrong('for (const a of unroll(1.5)) q[a] = 1;')).toEqual([
      'K1124 the count of unroll(n) must be a whole number, not 1.5 [1.5]',
    ]);
  });

  it('checks its body even if its head is wrong', () => {
    expect(wrong('for (const a of p) q[a] = missing;')).toEqual([
      "K1005 'missing' is not defined inside the kernel [missing]",
      'K1017 `for (... of ...)` works only with unroll(n) [p]',
    ]);
  });
});

describe('known conditions', () => {
  const use = { F: 'f32', ON: true, LIMIT: 8, BIG: 2n ** 40n };

  it('include constants of use, types and strings', () => {
    expect(
      lower(
        "if (ON && LIMIT > 4) q[0] = LIMIT; if (F === 'f32') q[1] = 1; else q[1] = x; longs[0] = BIG; const T = ON ? f32 : u32; p[0] = T(n); if (T !== f32) q[2] = x;",
        { use },
      ),
    ).toMatchInlineSnapshot(`
      "
      store q, 8:u32
      store (q +> 1:i32), 1:u32
      store longs, 1099511627776n:u64
      store p, f32(n)
      "
    `);
  });

  it('skip the arm that is not taken', () => {
    expect(lower('ON || (q[0] = x); q[1] = ON ? 1 : x;', { use })).toMatchInlineSnapshot(`
      "
      store (q +> 1:i32), 1:u32
      "
    `);
  });
});

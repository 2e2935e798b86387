import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

describe('waitUntil', () => {
  it('consists of loads and a condition', () => {
    expect(lower("waitUntil(() => q.load(n, 'acquire') === 1); waitUntil(() => q[0] > 1 && r[0] < 2 || clock() > l);"))
      .toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 v: u32
      local %2 v: i32
      local %3 chosen: bool
      local %4 clock: u64
      local %5 chosen: bool
      wait {
        %0 = load (q +> n) acquire.system
      } until (%0 == 1:u32)
      wait {
        %1 = load q
        if (%1 > 1:u32) {
          %2 = load r
          %3 = (%2 < 2:i32)
        } else {
          %3 = false
        }
        if %3 {
          %5 = true
        } else {
          %4 = clock
          %5 = (%4 > l)
        }
      } until %5
      "
    `);
  });

  it('accepts a body, an outer function, and local variables', () => {
    expect(
      lower('const ready = () => { let a = q[0]; a += 1; if (a > 4) return true; return a === n; }; waitUntil(ready);'),
    ).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 a: u32
      local %2 result: bool
      wait {
        %0 = load q
        %1 = %0
        %1 = (%1 + 1:u32)
        if (%1 > 4:u32) {
          %2 = true
        } else {
          %2 = (%1 == n)
        }
      } until %2
      "
    `);
  });

  it('may keep loaded values in an array of its thread', () => {
    expect(
      lower(
        "const seen = localArray(u32, 2); waitUntil(() => { seen[1] = q.load(n, 'acquire'); return seen[1] !== 0; });",
      ),
    ).toMatchInlineSnapshot(`
      "
      array #0 localArray: local u32[2]
      local %0 v: u32
      local %1 v: u32
      wait {
        %0 = load (q +> n) acquire.system
        store (#0 +> 1:i32), %0
        %1 = load (#0 +> 1:i32)
      } until (%1 != 0:u32)
      "
    `);
    expect(
      wrong('const seen = sharedArray(u32, 2); waitUntil(() => { seen[1] = q[0]; return seen[1] !== 0; });'),
    ).toEqual(['K3101 a wait condition cannot change memory: it is evaluated any number of times [seen[1] = q[0]]']);
    expect(
      wrong('const seen = localArray(u32, 2); coopCta().waitAll(n, (a) => { seen[1] = q[a]; return seen[1] !== 0; });'),
    ).toEqual(['K3101 a wait condition cannot change memory: it is evaluated any number of times [seen[1] = q[a]]']);
  });

  it('cannot have side effects', () => {
    expect(wrong('waitUntil(() => { q[0] = 1; return true; });')).toEqual([
      'K3101 a wait condition cannot change memory: it is evaluated any number of times [q[0] = 1]',
    ]);
    expect(wrong("waitUntil(() => { fence('acquire'); return flag; });")).toEqual([
      "K3101 a wait condition cannot fence: it is evaluated any number of times [fence('acquire')]",
    ]);
    expect(wrong('waitUntil(() => { print(1); return flag; });')).toEqual([
      'K3101 a wait condition cannot print: it is evaluated any number of times [print(1)]',
    ]);
    expect(wrong('waitUntil(() => { waitUntil(() => flag); return flag; });')).toEqual([
      'K3101 a wait condition cannot wait: it is evaluated any number of times [waitUntil(() => flag)]',
    ]);
    expect(wrong('waitUntil(() => ballot(flag) === n);')).toEqual([
      'K3101 a wait condition cannot exchange values with other threads: it is evaluated any number of times [ballot(flag)]',
    ]);
    expect(wrong('waitUntil(() => q);')).toEqual(['K2007 ptr(u32) cannot be used as a condition [waitUntil(() => q)]']);
  });
});

describe('waitAll', () => {
  it('waits for each index', () => {
    expect(lower("coopCta().waitAll(n - 1, (a) => q.load(a, 'acquire') - (m + 1) <= 0x7fffffff);"))
      .toMatchInlineSnapshot(`
      "
      local %0 i: u32
      local %1 v: u32
      waitAll cta %0 < (n - 1:u32) {
        %1 = load (q +> %0) acquire.system
      } until ((%1 - (m + 1:u32)) <= 2147483647:u32)
      "
    `);
  });

  it('by a group that the author defined strides over the indices, then synchronizes', () => {
    expect(
      lower(
        'const coop = { threadRank: () => laneId, size: () => 4, sync: () => coopCta().sync() }; coop.waitAll(n, (a) => q.load(a, "acquire") !== 0);',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 i: u32
      local %1 a: u32
      local %2 v: u32
      %0 = laneId
      loop while (%0 < n) {
        wait {
          %1 = %0
          %2 = load (q +> %1) acquire.system
        } until (%2 != 0:u32)
      } update {
        %0 = (%0 + 4:u32)
      }
      sync cta
      "
    `);
  });
});

describe('a spin loop', () => {
  const spins = [
    "while (q.load(0, 'acquire') !== 1);",
    "for (; q.load(0, 'acquire') !== 1; );",
    "do {} while (q.load(0, 'acquire') !== 1);",
    "for (;;) if (q.load(0, 'acquire') === 1) break;",
    "for (;;) { if (q.load(0, 'acquire') === 1) break; }",
    "while (true) { const a = q.load(0, 'acquire'); if (a === 1) break; }",
    "while (!(q.load(0, 'acquire') === 1)) {}",
  ];

  it.each(spins)('becomes a wait: %s', (text) => {
    expect(lower(text).replaceAll(/local .*\n/g, '')).toBe(
      '\nwait {\n  %0 = load q acquire.system\n} until (%0 == 1:u32)\n',
    );
  });

  it('keeps the last value it has read', () => {
    expect(lower('let a; do { a = q[0]; } while (a < n); q[1] = a;')).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 a: u32
      wait {
        %0 = load q
        %1 = %0
      } until (!(%1 < n))
      store (q +> 1:i32), %1
      "
    `);
  });

  it('may read once before its test', () => {
    expect(lower('let a = q[0]; while (a !== 1) a = q[0]; q[1] = a;')).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 a: u32
      local %2 v: u32
      %0 = load q
      %1 = %0
      if (%1 != 1:u32) {
        wait {
          %2 = load q
          %1 = %2
        } until (%1 == 1:u32)
      }
      store (q +> 1:i32), %1
      "
    `);
  });

  it('may wait for one of several words', () => {
    expect(lower('while (q[0] === 0 && r[0] === 0);')).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 v: i32
      local %2 chosen: bool
      wait {
        %0 = load q
        if (%0 == 0:u32) {
          %1 = load r
          %2 = (%1 == 0:i32)
        } else {
          %2 = false
        }
      } until (!%2)
      "
    `);
    expect(lower('for (;;) { if (q[0] > 0) break; if (r[0] > 0) break; }')).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 v: i32
      local %2 done: bool
      wait {
        %0 = load q
        if (%0 > 0:u32) {
          %2 = true
        } else {
          %1 = load r
          if (%1 > 0:i32) {
            %2 = true
          } else {
            %2 = false
          }
        }
      } until %2
      "
    `);
  });

  it.each([
    ['counts', 'let a = 0; while (q[0] !== 1) a++; q[1] = a;'],
    ['stores', 'while (q[0] !== 1) q[1] = 1;'],
    ['exchanges', 'while (q.atomicExch(0, 1) !== 0);'],
    ['fences', "while (q[0] !== 1) fence('acquire');"],
    ['reads nothing', 'let a = n; while (a !== 1) a = m;'],
    ['reads the clock alone', 'while (clock() < l);'],
    ['goes on with what it read', 'let a = 0; while (a !== 7) a = r[a];'],
    ['latches', 'let a = false; while (!a) { if (q[0] > 1) a = true; }'],
    ['has a loop inside', 'while (q[0] !== 1) { for (let a = 0; a < n; a++) { if (r[a] > 0) break; } }'],
    ['prints', 'while (q[0] !== 1) print(1);'],
  ])('stays a loop if it %s', (_what, text) => {
    const out = lower(text);
    expect(out).toMatch(/^loop/m);
    expect(out).not.toMatch(/^wait/m);
  });
});

import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

describe('pointers', () => {
  it('load and store as plain accesses, or with an order and scope', () => {
    expect(
      lower(
        "q[0] = q[n]; q.store(1, q.load(2)); q.store(3, q.load(4, 'acquire'), 'release', 'device'); q.store(5, q.load(6, 'relaxed', 'block'), 'seq_cst');",
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 v: u32
      local %2 v: u32
      local %3 v: u32
      %0 = load (q +> n)
      store q, %0
      %1 = load (q +> 2:i32)
      store (q +> 1:i32), %1
      %2 = load (q +> 4:i32) acquire.system
      store (q +> 3:i32), %2 release.device
      %3 = load (q +> 6:i32) relaxed.block
      store (q +> 5:i32), %3 seq_cst.system
      "
    `);
  });

  it('access a vector element by element if the order is relaxed', () => {
    expect(lower("const line = q.cast(vec(u32, 2)); line.store(1, line.load(n, 'relaxed'), 'relaxed', 'device');"))
      .toMatchInlineSnapshot(`
        "
        local %0 line: ptr(vec(u32, 2))
        local %1 at: ptr(vec(u32, 2))
        local %2 v: u32
        local %3 v: u32
        local %4 v: vec(u32, 2)
        local %5 at: ptr(vec(u32, 2))
        local %6 v: vec(u32, 2)
        %0 = cast(vec(u32, 2), q)
        %1 = (%0 +> n)
        %2 = load cast(u32, %1) relaxed.system part 0 of 2
        %3 = load (cast(u32, %1) +> 1:u32) relaxed.system part 1 of 2
        %4 = vec(u32, 2)[%2, %3]
        %5 = (%0 +> 1:i32)
        %6 = %4
        store cast(u32, %5), lane(%6, 0:u32) relaxed.device part 0 of 2
        store (cast(u32, %5) +> 1:u32), lane(%6, 1:u32) relaxed.device part 1 of 2
        "
      `);
    expect(wrong("q.cast(vec(u32, 2)).load(0, 'acquire');")).toEqual([
      "K2018 an ordered access is not defined for vec(u32, 2) [q.cast(vec(u32, 2)).load(0, 'acquire')]",
    ]);
  });

  it('can be moved, and can change their element type', () => {
    expect(
      lower(
        'const a = q.offset(4).offset(n), o = a.cast(f32).cast(vec(f32, 4)); o[1] = v; p.offset(0)[0] = 1; q[l] = 1; q[k] = 1; q[b] = 1;',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 a: ptr(u32)
      local %1 o: ptr(vec(f32, 4))
      %0 = ((q +> 4:i32) +> n)
      %1 = cast(vec(f32, 4), cast(f32, %0))
      store (%1 +> 1:i32), v
      store p, 1:f32
      store (q +> l), 1:u32
      store (q +> k), 1:u32
      store (q +> b), 1:u32
      "
    `);
  });

  it('report their address space and alignment', () => {
    expect(
      lower(
        'q[2] = q.offset(n).misalignment(16);' +
          " const where = (x) => x.space === 'global' ? 3 : 4; q[3] = where(q); q[4] = where(sharedArray(u32, 4));",
      ),
    ).toMatchInlineSnapshot(`
      "
      array #0 sharedArray: shared u32[4]
      store (q +> 2:i32), (u32((q +> n)) & 15:u32)
      store (q +> 3:i32), 3:u32
      store (q +> 4:i32), 4:u32
      "
    `);
    expect(lower('q[1] = q.cast(vec(u32, 4)).misalignment(1);')).toMatchInlineSnapshot(`
      "
      store (q +> 1:i32), (u32(cast(vec(u32, 4), q)) & 0:u32)
      "
    `);
  });

  it('have their members in every spelling', () => {
    expect(lower("q['store'](0, q['load'](1));")).toBe(lower('q.store(0, q.load(1));'));
  });

  it('change memory atomically', () => {
    expect(
      lower(
        "q.atomicAdd(0, 1); q.atomicSub(0, n, 'relaxed'); q.atomicMin(0, 1, 'acquire', 'block'); q.atomicMax(0, 1); q.atomicAnd(0, 1); q.atomicOr(0, 1); q.atomicXor(0, 1, 'acq_rel', 'thread');",
      ),
    ).toMatchInlineSnapshot(`
      "
      atomic add q, 1:u32 seq_cst.system
      atomic sub q, n relaxed.system
      atomic min q, 1:u32 acquire.block
      atomic max q, 1:u32 seq_cst.system
      atomic and q, 1:u32 seq_cst.system
      atomic or q, 1:u32 seq_cst.system
      atomic xor q, 1:u32 acq_rel.thread
      "
    `);
    expect(
      lower(
        "q[1] = q.atomicExch(0, m); longs[0] = longs.atomicCas(n, 0, 1n, 'release', 'device'); p[0] = p.atomicAdd(1, 0.5); r.atomicMin(0, -1);",
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 before: u32
      local %1 before: u64
      local %2 before: f32
      %0 = atomic exch q, m seq_cst.system
      store (q +> 1:i32), %0
      %1 = atomic cas (longs +> n), 1n:u64, expected 0n:u64 release.device
      store longs, %1
      %2 = atomic add (p +> 1:i32), 0.5:f32 seq_cst.system
      store p, %2
      atomic min r, -1:i32 seq_cst.system
      "
    `);
  });

  it('have atomics for the types that support them', () => {
    expect(wrong('p.atomicMin(0, 1);')).toEqual(['K2018 atomicMin is not defined for f32 [p.atomicMin(0, 1)]']);
    expect(wrong('halves.atomicAdd(0, 1);')).toEqual([
      'K2018 atomicAdd is not defined for bf16 [halves.atomicAdd(0, 1)]',
    ]);
    expect(wrong('q.atomicAdd(0, l);')).toEqual(['K2003 u64 is not converted to u32 implicitly [l]']);
  });

  it('have no other members', () => {
    expect(wrong('q.toString();')).toEqual(["K1101 a pointer has no member 'toString' [toString]"]);
    expect(wrong('q.constructor;')).toEqual(["K1101 a pointer has no member 'constructor' [constructor]"]);
    expect(wrong('q.__proto__;')).toEqual(["K1101 a pointer has no member '__proto__' [__proto__]"]);
  });
});

describe('arrays', () => {
  it('belong to the thread or to the CTA', () => {
    expect(
      lower(
        'const a = localArray(f32, 4), o = sharedArray(vec(u32, 4), 32); a[n] = x; a[3] = a[0]; o[1] = vec(u32, 4)(1);',
      ),
    ).toMatchInlineSnapshot(`
      "
      array #0 localArray: local f32[4]
      array #1 sharedArray: shared vec(u32, 4)[32]
      local %0 v: f32
      store (#0 +> n), x
      %0 = load #0
      store (#0 +> 3:i32), %0
      store (#1 +> 1:i32), vec(u32, 4)[1:u32]
      "
    `);
  });

  it('exist once for each location in the text, even in a loop, but unrolled rounds and calls have their own', () => {
    expect(
      lower(
        'for (let a = 0; a < 2; a++) { const o = sharedArray(u32, 4); o[a] = 1; } for (const a of unroll(2)) { const o = localArray(u32, 2); o[a] = 1; }',
      ),
    ).toMatchInlineSnapshot(`
      "
      array #0 sharedArray: shared u32[4]
      array #1 localArray: local u32[2]
      array #2 localArray: local u32[2]
      local %0 a: i32
      %0 = 0:i32
      loop while (%0 < 2:i32) {
        store (#0 +> %0), 1:u32
      } update {
        %0 = (%0 + 1:i32)
      }
      store #1, 1:u32
      store (#2 +> 1:i32), 1:u32
      "
    `);
  });

  it('have constant lengths and numbers for elements', () => {
    expect(wrong('const a = sharedArray(f32, 2000000);')).toEqual([
      'K1114 the length of an array is larger than 1048576 [2000000]',
    ]);
    expect(wrong('const a = sharedArray(addr, 2);')).toEqual(['K2024 memory cannot hold addr [addr]']);
    expect(wrong('const a = localArray(f32, 2); a[2] = 1;')).toEqual(['K2025 element 2 of an array of 2 [2]']);
  });
});

describe('fences, clock, print and assert', () => {
  it('become statements', () => {
    expect(
      lower(
        "fence('acq_rel'); fence('release', 'block'); fence('relaxed'); fenceProxy('alias'); const a = clock(); print('n', n, a, x, 4); assert(n > 1, 'why'); assert(n);",
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 clock: u64
      fence acq_rel.system
      fence release.block
      fenceProxy alias
      %0 = clock
      print("n", n, %0, x, "4")
      assert (n > 1:u32), "why"
      assert (n != 0:u32), "assertion failed"
      "
    `);
  });
});

describe('fences of the fabric proxy', () => {
  it('name two proxies, and between generic accesses they are plain fences', () => {
    expect(
      lower(
        "fenceProxy('fabric', 'generic', 'fabric', 'release'); fenceProxy('fabric', 'fabric', 'generic', 'acquire', 'block'); " +
          "fenceProxy('fabric', 'generic', 'generic', 'acq_rel'); fenceProxy('fabric', 'fabric', 'fabric', 'relaxed');",
      ),
    ).toMatchInlineSnapshot(`
      "
      fenceProxy fabric generic fabric release.system
      fenceProxy fabric fabric generic acquire.block
      fence acq_rel.system
      "
    `);
  });

  it('accept only those words', () => {
    expect(wrong("fenceProxy('fabric', 'generic', 'network', 'release');")).toMatchInlineSnapshot(`
      [
        "K1105 fenceProxy: 'consumer' cannot be 'network' ['network']",
      ]
    `);
    expect(wrong("fenceProxy('fabric', 'generic', 'fabric', 'release', 'device');")).toMatchInlineSnapshot(`
      [
        "K1105 fenceProxy: 'scope' cannot be 'device' ['device']",
      ]
    `);
    expect(wrong("fenceProxy('fabric', 'generic');")).toMatchInlineSnapshot(`
      [
        "K1103 fenceProxy.fabric takes 4 to 5 arguments, given 2 [fenceProxy('fabric', 'generic')]",
      ]
    `);
    expect(wrong("fenceProxy('alias', 'generic');")).toMatchInlineSnapshot(`
      [
        "K1103 fenceProxy takes 1 argument, given 2 [fenceProxy('alias', 'generic')]",
      ]
    `);
  });
});

describe('dependencies on the launches before and after', () => {
  it('are calls, and the wait has a body for backends that lack the instruction', () => {
    expect(lower('gridDependencySync(); launchDependents();')).toMatchInlineSnapshot(`
      "
      local %0 over: bool
      call gridDependencySync() {
        wait {
          %0 = call dependency.isOver()
        } until %0
        call dependency.acquire()
      }
      call launchDependents()
      "
    `);
  });
});

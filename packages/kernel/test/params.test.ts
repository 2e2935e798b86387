import {
  addr,
  bool,
  deviceModule,
  f32,
  handleParam,
  i32,
  i64,
  intrinsic,
  primitive,
  ptr,
  structParam,
  u32,
  u64,
  u8,
  vec,
  windowPointer,
  type DeviceFn,
} from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { ir, kernelFromText, moduleOf } from './support/compile.ts';
import { bodyOf } from './support/body-of.ts';
import { lower, wrong } from './support/lower.ts';
import { printModule } from '@nccl-ts/ir';

const inner = structParam<{ readonly base: number }, never>({ struct: 'Inner', fields: { base: u32, size: i32 } });
const win = handleParam<object, never>({ handle: 'Window', fields: { lsaRank: i32 } });
const comm = handleParam<object, never>({
  handle: 'Comm',
  fields: { rank: i32, on: bool, at: addr, inner, resource: win, memory: ptr(u32) },
});
const outer = structParam<object, never>({
  struct: 'Outer',
  fields: { win, inner, first: ptr(f32), wide: vec(f32, 4) },
  types: { T: f32 },
});

describe('parameters', () => {
  it('of every kind are declared in order, structs flattened', () => {
    const params = {
      n: u32,
      l: u64,
      k: i64,
      flag: bool,
      at: addr,
      v: vec(f32, 4),
      p: ptr(u8),
      w: ptr(vec(f32, 4)),
      win,
      comm,
      s: outer,
    };
    const text = '({}, { n, s, comm }) => { s.first[n] = s.T(comm.inner.size); s.first[s.inner.base] = 1; }';
    expect(printModule(moduleOf(kernelFromText(text, { params })))).toMatchInlineSnapshot(`
      "kernel fromText
      param $0 n: u32
      param $1 l: u64
      param $2 k: i64
      param $3 flag: bool
      param $4 at: addr
      param $5 v: vec(f32, 4)
      param $6 p: ptr(u8)
      param $7 w: ptr(vec(f32, 4))
      param $8 win: Window
      param $9 comm: Comm
      param $10 s.win: Window
      param $11 s.inner.base: u32
      param $12 s.inner.size: i32
      param $13 s.first: ptr(f32)
      param $14 s.wide: vec(f32, 4)
      {
        store ($13 +> $0), f32($9.inner.size:i32)
        store ($13 +> $11), 1:f32
      }
      "
    `);
  });

  it('can be destructured or used as a whole', () => {
    const params = { n: u32, q: ptr(u32), s: inner };
    const taken = ir(kernelFromText('({}, { n, q, s: { base } }) => { q[n] = base; }', { params }));
    expect(ir(kernelFromText('(k, a) => { a.q[a.n] = a.s.base; }', { params }))).toBe(taken);
    expect(
      ir(kernelFromText('function f({}, { n: x, q: y, s: z }) { const { base: b } = z; y[x] = b; }', { params })),
    ).toBe(taken);
    expect(ir(kernelFromText('({}, { q, ["n"]: x, s }) => { q[x] = s.base; }'.replace('["n"]', 'n'), { params }))).toBe(
      taken,
    );
  });

  it('may be assigned, because each thread has a copy', () => {
    expect(lower('n += 1; q[n] = n;')).toMatchInlineSnapshot(`
      "
      local %0 n: u32
      %0 = n
      %0 = (%0 + 1:u32)
      store (q +> %0), %0
      "
    `);
  });

  it('that are handles have fields, and fields of fields', () => {
    const more = { params: { comm, win } };
    expect(
      lower(
        'q[0] = comm.rank + comm.inner.size + comm.resource.lsaRank; if (comm.on) comm.memory[comm.at] = comm.inner.base;',
        more,
      ),
    ).toMatchInlineSnapshot(`
      "
      store q, u32(((comm.rank:i32 + comm.inner.size:i32) + comm.resource:Window.lsaRank:i32))
      if comm.on:bool {
        store (comm.memory:ptr(u32) +> i64(comm.at:addr)), comm.inner.base:u32
      }
      "
    `);
    expect(
      lower(
        'const { inner: { base }, resource } = comm; q[base] = resource.lsaRank; const w2 = flag ? win : resource; q[1] = w2.lsaRank;',
        more,
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 w2: Window
      store (q +> comm.inner.base:u32), u32(comm.resource:Window.lsaRank:i32)
      %0 = select(flag, win, comm.resource:Window)
      store (q +> 1:i32), u32(%0.lsaRank:i32)
      "
    `);
    expect(wrong('q[0] = comm.toString;', more)).toEqual(["K1101 a Comm has no member 'toString' [toString]"]);
  });

  it('that are structs become variables with several parts', () => {
    const more = { use: { Inner: inner }, params: { s: inner } };
    expect(
      lower(
        'let a = s; const before = a; if (n > 1) a = Inner({ base: n, size: 3 }); a = Inner({ base: u32(a.size), size: i32(a.base) }); q[a.base] = before.base;',
        more,
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 a.base: u32
      local %1 a.size: i32
      local %2 before.base: u32
      local %3 before.size: i32
      local %4 base: u32
      local %5 size: i32
      %0 = s.base
      %1 = s.size
      %2 = %0
      %3 = %1
      if (n > 1:u32) {
        %0 = n
        %1 = 3:i32
      }
      %4 = u32(%1)
      %5 = i32(%0)
      %0 = %4
      %1 = %5
      store (q +> %0), %2
      "
    `);
    expect(wrong('const a = Inner({ base: n });', more)).toEqual(["K1120 Inner: 'size' is missing [{ base: n }]"]);
    expect(wrong('const a = Inner({ base: n, size: 1, more: 2 });', more)).toEqual([
      "K1106 Inner has no option 'more' [more]",
    ]);
    expect(wrong('const a = Inner({ base: x, size: 1 });', more)).toEqual([
      'K2003 f32 is not converted to u32 implicitly [x]',
    ]);
  });
});

describe('use', () => {
  it('passes numbers, bigints, truth values, strings, types and modules', () => {
    const use = {
      N: 4,
      BIG: 2n ** 63n,
      ON: false,
      ORDER: 'relaxed',
      T: vec(f32, 4),
      mod: deviceModule('mod', { K: 2, deep: deviceModule('deep', { L: 3, T: u32 }) }),
    };
    expect(
      lower(
        'q[0] = N; longs[0] = BIG; q[1] = ON ? 1 : mod.K; q[2] = q.load(mod.deep.L, ORDER); p.cast(T)[0] = T(1); q[3] = mod.deep.T(x);',
        { use },
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 v: u32
      store q, 4:u32
      store longs, 9223372036854775808n:u64
      store (q +> 1:i32), 2:u32
      %0 = load (q +> 3:i32) relaxed.system
      store (q +> 2:i32), %0
      store cast(vec(f32, 4), p), vec(f32, 4)[1:f32]
      store (q +> 3:i32), u32(x)
      "
    `);
    expect(wrong('q[0] = mod.J;', { use })).toEqual(["K1101 module 'mod' has no member 'J' [J]"]);
  });

  it('may use the name of a type that is built in, but of no other built-in', () => {
    expect(lower('p[0] = f32(n);', { use: { F: f32 } })).toBe(lower('p[0] = f32(n);'));
    const text = '({ f32 }, { p, n }) => { p[0] = f32(n); }';
    expect(ir(kernelFromText(text, { use: { f32 }, params: { p: ptr(f32), n: u32 } }))).toBe('\nstore $0, f32($1)\n');
  });
});

describe('intrinsics', () => {
  const pointer: DeviceFn<(...args: never[]) => unknown> = intrinsic(
    {
      name: 'm.pointer',
      pure: true,
      use: { windowPointer },
      params: { win, type: { kind: 'type' }, at: addr, peer: i32 },
    },
    bodyOf('({ windowPointer }, { win, type: T, at, peer }) => windowPointer(win, T, at, peer)'),
  );
  const post: DeviceFn<(...args: never[]) => unknown> = intrinsic(
    {
      name: 'm.post',
      params: {
        to: ptr(u32),
        value: u32,
        order: { kind: 'word', words: ['relaxed', 'release'] },
        'coop?': { kind: 'coop' },
      },
    },
    bodyOf(
      '({}, { to, value, order, coop }) => { if (coop !== undefined) coop.sync(); to.store(0, value, order); return value + 1; }',
    ),
  );
  const put = primitive({ name: 'm.put', params: { win, at: addr, 'bytes?': u64 }, result: u32 });
  const nothing = primitive({
    name: 'm.nothing',
    params: { any: { kind: 'anyPointer' }, value: { kind: 'anyValue' } },
  });
  const find = primitive({ name: 'm.find', params: { in: { kind: 'anyPointer', space: 'global' } }, result: win });
  const more = { use: { pointer, post, put, nothing, find }, params: { win } };

  it('that are pure remain in the expression, with their definition', () => {
    expect(lower('p[0] = pointer(win, f32, at + 4, i)[n];', more)).toMatchInlineSnapshot(`
      "
      local %0 v: f32
      %0 = load (@m.pointer<type = type f32>(win, (at + 4:addr), i) { window(f32, arg(0), arg(2), arg(1)) } +> n)
      store p, %0
      "
    `);
  });

  it('with effects become calls with a body', () => {
    expect(lower("q[0] = post(q, n, 'release', coopWarp()); post(q, 1, 'relaxed');", more)).toMatchInlineSnapshot(`
      "
      local %0 result: u32
      %0 = call m.post<order = "release", coop = coop tile(32)>(q, n) {
        sync tile(32)
        store q, n release.system
        %0 = (n + 1:u32)
      }
      store q, %0
      call m.post<order = "relaxed">(q, 1:u32) {
        store q, 1:u32 relaxed.system
      }
      "
    `);
  });

  it('may return handles, which are passed on and have fields', () => {
    expect(lower('const found = find(p); q[0] = u32(found.lsaRank); p[0] = pointer(found, f32, at, i)[0];', more))
      .toMatchInlineSnapshot(`
      "
      local %0 m.find: Window
      local %1 v: f32
      %0 = call m.find(p)
      store q, u32(%0.lsaRank:i32)
      %1 = load @m.pointer<type = type f32>(%0, at, i) { window(f32, arg(0), arg(2), arg(1)) }
      store p, %1
      "
    `);
    expect(lower('let found = find(p); if (n > 1) found = win; put(found, 1);', more)).toMatchInlineSnapshot(`
      "
      local %0 m.find: Window
      local %1 found: Window
      local %2 m.put: u32
      %0 = call m.find(p)
      %1 = %0
      if (n > 1:u32) {
        %1 = win
      }
      %2 = call m.put(%1, 1:addr)
      "
    `);
  });

  it('may restrict pointers to one address space', () => {
    const text = 'const a = sharedArray(f32, 4); find(a);';
    expect(wrong(text, more)).toMatchInlineSnapshot(`
      [
        "K1104 m.find: 'in' must be a pointer to global memory [a]",
      ]
    `);
  });

  it('without a body become calls', () => {
    expect(lower('q[0] = put(win, 128) + put(win, at, l); nothing(p, x);', more)).toMatchInlineSnapshot(`
      "
      local %0 m.put: u32
      local %1 m.put: u32
      %0 = call m.put(win, 128:addr)
      %1 = call m.put(win, at, l)
      store q, (%0 + %1)
      call m.nothing(p, x)
      "
    `);
  });

  it('check their arguments', () => {
    expect(wrong('pointer(n, f32, 0, 0);', more)).toEqual(["K1104 m.pointer: 'win' must be a Window [n]"]);
    expect(wrong('pointer(win, 4, 0, 0);', more)).toEqual(["K1104 m.pointer: 'type' must be a type such as f32 [4]"]);
    expect(wrong('pointer(win, f32, x, 0);', more)).toEqual(['K2003 f32 is not converted to addr implicitly [x]']);
    expect(wrong('pointer(win, f32, 0);', more)).toEqual([
      'K1103 m.pointer takes 4 arguments, given 3 [pointer(win, f32, 0)]',
    ]);
    expect(wrong("post(q, 1, 'acquire');", more)).toEqual(["K1105 m.post: 'order' cannot be 'acquire' ['acquire']"]);
    expect(wrong("post(p, 1, 'relaxed');", more)).toEqual(["K1104 m.post: 'to' must be a pointer to u32 [p]"]);
    expect(wrong("post(q, 1, 'relaxed', n);", more)).toEqual(['K3106 u32 is not a thread group [n]']);
    expect(wrong('pointer(win, bool, 0, 0);', more)).toEqual(['K2024 memory cannot hold bool [T]']);
    expect(wrong('nothing(n, x);', more)).toEqual(["K1104 m.nothing: 'any' must be a pointer [n]"]);
  });
});

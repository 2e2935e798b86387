import {
  anyPointerParam,
  anyValueParam,
  deviceFn,
  f32,
  flagParam,
  form,
  forms,
  u32,
  type DeviceFn,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { bodyOf } from './support/body-of.ts';
import { lower, wrong } from './support/lower.ts';

const twice = deviceFn({ name: 'twice' }, (_context, a: number) => a * 2);

describe('a device function', () => {
  it('is inlined, and its arguments are computed once', () => {
    expect(lower('q[0] = twice(n + m) + twice(q[1]);', { use: { twice } })).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 v: u32
      %0 = (n + m)
      %1 = load (q +> 1:i32)
      store q, ((%0 * 2:u32) + (%1 * 2:u32))
      "
    `);
  });

  it('may have fewer parameters than arguments, as in JavaScript, and all arguments are evaluated', () => {
    const each = deviceFn(
      { name: 'each' },
      (_context, to: (value: number, at: number) => number, from: Ptr, counter: Ptr) =>
        to(from.load(0), counter.atomicAdd(0, 1, 'relaxed', 'device')),
    );
    const use = { each, twice };
    for (const first of ['(a) => a * 2', 'twice']) {
      expect(lower(`q[1] = each(${first}, q, q);`, { use })).toMatchInlineSnapshot(`
        "
        local %0 v: u32
        local %1 before: u32
        %0 = load q
        %1 = atomic add q, 1:u32 relaxed.device
        store (q +> 1:i32), (%0 * 2:u32)
        "
      `);
    }
    expect(lower('q[1] = each(() => 3, q, q);', { use })).toContain('atomic add');
    expect(wrong('q[1] = each(3);', { use })).not.toEqual([]);
  });

  it('is generic in its arguments, such as types, pointers and functions', () => {
    const copy = deviceFn(
      { name: 'copy' },
      ({ f32 }, T: TypeFn, load: (at: number) => number, store: (at: number, value: number) => void, count: number) => {
        for (let at = 0; at < count; at++) store(at, T === f32 ? load(at) * 2 : load(at));
      },
    );
    const use = { copy, F: f32, U: u32 };
    expect(lower('copy(F, (at2) => p[at2], (at2, value) => { p[at2] = value; }, 4);', { use })).toMatchInlineSnapshot(`
      "
      local %0 at: i32
      local %1 at2: i32
      local %2 v: f32
      local %3 at2: i32
      local %4 value: f32
      %0 = 0:i32
      loop while (%0 < 4:i32) {
        %1 = %0
        %2 = load (p +> %1)
        %3 = %0
        %4 = (%2 * 2:f32)
        store (p +> %3), %4
      } update {
        %0 = (%0 + 1:i32)
      }
      "
    `);
    expect(lower('copy(U, (at2) => q[at2], (at2, value) => q.store(at2, value, "relaxed"), n);', { use }))
      .toMatchInlineSnapshot(`
      "
      local %0 at: i32
      local %1 at2: i32
      local %2 v: u32
      local %3 at2: i32
      %0 = 0:i32
      loop while (u32(%0) < n) {
        %1 = %0
        %2 = load (q +> %1)
        %3 = %0
        store (q +> %3), %2 relaxed.system
      } update {
        %0 = (%0 + 1:i32)
      }
      "
    `);
  });

  it('uses the names in its own use', () => {
    const scaled = deviceFn(
      { name: 'scaled', use: { twice, FACTOR: 3 } },
      ({ twice, FACTOR }, a: number) => twice(a) * FACTOR,
    );
    expect(lower('q[0] = scaled(n);', { use: { scaled } })).toMatchInlineSnapshot(`
      "
      store q, ((n * 2:u32) * 3:u32)
      "
    `);
  });

  it('returns early', () => {
    const clamp = deviceFn({ name: 'clamp' }, (_context, a: number) => {
      if (a > 9) return 9;
      for (;;) {
        if (a > 3) return a;
        a += 2;
      }
    });
    expect(lower('q[0] = clamp(n);', { use: { clamp } })).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 result: u32
      %0 = n
      block 0 {
        if (%0 > 9:u32) {
          %1 = 9:u32
        } else {
          loop {
            if (%0 > 3:u32) {
              %1 = %0
              leave 0
            }
            %0 = (%0 + 2:u32)
          }
        }
      }
      store q, %1
      "
    `);
  });

  it('returns one type: that of the first return with a type', () => {
    const use = {
      f: deviceFn(
        { name: 'f' },
        bodyOf('({}, a) => { if (a > 4) return 0; if (a > 2) return -1; return a; }') as never,
      ),
      truth: deviceFn({ name: 'truth' }, bodyOf('({}, a) => { if (a > 4) return true; return false; }') as never),
      h2: deviceFn({ name: 'h2' }, bodyOf('({}, a) => { if (a > 4) return 0.5; return 1; }') as never),
    };
    expect(lower('p[0] = f(x); q[0] = f(n); if (truth(n)) q[1] = 1;', { use })).toMatchInlineSnapshot(`
      "
      local %0 result: f32
      local %1 result: u32
      local %2 result: bool
      if (x > 4:f32) {
        %0 = 0:f32
      } else {
        if (x > 2:f32) {
          %0 = -1:f32
        } else {
          %0 = x
        }
      }
      store p, %0
      if (n > 4:u32) {
        %1 = 0:u32
      } else {
        if (n > 2:u32) {
          %1 = 4294967295:u32
        } else {
          %1 = n
        }
      }
      store q, %1
      if (n > 4:u32) {
        %2 = true
      } else {
        %2 = false
      }
      if %2 {
        store (q +> 1:i32), 1:u32
      }
      "
    `);
    expect(wrong('p[0] = h2(x);', { use })).toEqual(['K2006 cannot infer the type of 0.5 [0.5]']);
  });

  it('may return a compile-time value, chosen by a known condition', () => {
    const half = deviceFn(
      { name: 'half' },
      bodyOf("({}, order) => { if (order === 'acq_rel') return 'acquire'; return order; }") as never,
    );
    const pick = deviceFn(
      { name: 'pick' },
      bodyOf('({ f32, u32 }, wide) => { if (wide) return f32; return u32; }') as never,
    );
    expect(lower("q[0] = q.load(1, half('acq_rel')) + q.load(2, half('relaxed'));", { use: { half } }))
      .toMatchInlineSnapshot(`
      "
      local %0 v: u32
      local %1 v: u32
      %0 = load (q +> 1:i32) acquire.system
      %1 = load (q +> 2:i32) relaxed.system
      store q, (%0 + %1)
      "
    `);
    expect(lower('p[0] = pick(true)(n); q[0] = pick(false)(x);', { use: { pick } })).toMatchInlineSnapshot(`
      "
      store p, f32(n)
      store q, u32(x)
      "
    `);
  });

  it('may omit arguments at the end', () => {
    const scale = deviceFn({ name: 'scale' }, bodyOf('({}, a, by) => by === undefined ? a : a * by') as never);
    expect(lower('q[0] = scale(n); q[1] = scale(n, 3);', { use: { scale } })).toMatchInlineSnapshot(`
      "
      store q, n
      store (q +> 1:i32), (n * 3:u32)
      "
    `);
  });

  it('assigns its parameters without changing the arguments', () => {
    const up = deviceFn({ name: 'up' }, bodyOf('({}, a) => { a += 1; return a; }') as never);
    expect(lower('let a = n; q[0] = up(a) + a;', { use: { up } })).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      %0 = n
      %0 = (%0 + 1:u32)
      store q, (%0 + n)
      "
    `);
  });

  it('may appear in an argument of its own call without being recursive', () => {
    expect(lower('q[0] = twice(twice(twice(n)));', { use: { twice } })).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 a: u32
      %0 = (n * 2:u32)
      %1 = (%0 * 2:u32)
      store q, (%1 * 2:u32)
      "
    `);
  });

  it('may have the same text as others that it calls without being recursive', () => {
    type Step = (value: number, apply: (value: number) => number) => number;
    const step = (inner: DeviceFn<Step>): DeviceFn<Step> =>
      deviceFn({ name: 'step', use: { inner } }, ({ inner }, value: number, apply: (value: number) => number) =>
        inner(value, (v) => apply(v) + 1),
      );
    let fn: DeviceFn<Step> = deviceFn({ name: 'first' }, (_context, value: number, apply: (value: number) => number) =>
      apply(value),
    );
    for (let depth = 0; depth < 6; depth++) fn = step(fn);
    expect(lower('q[0] = fn(n, (v) => v * 2);', { use: { fn } })).toContain('(n * 2:u32)');
  });

  it('is recognised if a build tool wrapped it to keep its name', () => {
    expect(lower('const f = __name((a) => a + 1, "f"); q[0] = f(n);')).toMatchInlineSnapshot(`
      "
      store q, (n + 1:u32)
      "
    `);
    expect(wrong('const f = __name; f(n);')).toEqual(["K1005 '__name' is not defined inside the kernel [__name]"]);
  });
});

describe('a local function', () => {
  it('sees the values that outer variables have at its call', () => {
    expect(lower('let a = n; const f = () => a + 1; a = 5; q[0] = f(); a++; q[1] = f();')).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      %0 = n
      %0 = 5:u32
      store q, (%0 + 1:u32)
      %0 = (%0 + 1:u32)
      store (q +> 1:i32), (%0 + 1:u32)
      "
    `);
  });

  it('may be declared below its call, and be a function expression', () => {
    expect(
      lower('q[0] = f(n); function f(a) { return a + 1; } const f2 = function (a) { return f(a) * 2; }; q[1] = f2(n);'),
    ).toMatchInlineSnapshot(`
      "
      store q, (n + 1:u32)
      store (q +> 1:i32), ((n + 1:u32) * 2:u32)
      "
    `);
  });

  it('returns a function, which keeps its captured values', () => {
    expect(lower('const adder = (a) => (o) => a + o; const add5 = adder(n); q[0] = add5(m);')).toMatchInlineSnapshot(`
      "
      store q, (n + m)
      "
    `);
  });

  it('cannot change outer variables', () => {
    expect(wrong('let a = n; const f = () => { a++; }; f();')).toEqual([
      "K1118 'a' lives outside of this function: functions in a kernel do not change what they close over [a]",
    ]);
  });

  it('that is never called is not compiled, but its names are checked', () => {
    expect(lower('const f = () => x + n; q[0] = 1;')).toMatchInlineSnapshot(`
      "
      store q, 1:u32
      "
    `);
    expect(wrong('const f = () => missing;')).toEqual(["K1005 'missing' is not defined inside the kernel [missing]"]);
  });
});

describe('overloads of a function', () => {
  const store = deviceFn({ name: 'store' }, (_context, to: Ptr, value: number) => {
    to[0] = value;
  });
  const storeAt = deviceFn({ name: 'storeAt' }, (_context, at: number, to: Ptr, value: () => number) => {
    to[at] = value();
  });
  const put = forms({
    name: 'put',
    forms: [
      { params: { to: { kind: 'anyPointer' }, value: { kind: 'anyValue' } }, fn: store },
      { params: { to: { kind: 'anyPointer' }, 'value?': { kind: 'type' } }, fn: twice },
      { params: { at: u32, to: { kind: 'anyPointer' }, value: { kind: 'function' } }, fn: storeAt },
    ],
  });

  it('are chosen by the kinds of the arguments', () => {
    expect(lower('put(q, 1); put(2, q, () => n); put(p, flag ? 1 : 2);', { use: { put } })).toMatchInlineSnapshot(`
      "
      store q, 1:u32
      store (q +> 2:i32), n
      store p, select(flag, 1:f32, 2:f32)
      "
    `);
  });

  it('select the first one that fits, even if it then fails', () => {
    expect(wrong('put(q, x);', { use: { put } })).toMatchInlineSnapshot(`
      [
        "K2003 f32 is not converted to u32 implicitly [value]",
      ]
    `);
    expect(wrong('put(q, coopCta());', { use: { put } })).toMatchInlineSnapshot(`
      [
        "K1126 no form of put takes these arguments [put(q, coopCta())]",
      ]
    `);
    expect(wrong('put(missing, n);', { use: { put } })).toMatchInlineSnapshot(`
      [
        "K1005 'missing' is not defined inside the kernel [missing]",
      ]
    `);
  });

  it('may have bodies that take the arguments by name', () => {
    const move = forms({
      name: 'move',
      forms: [
        form(
          { name: 'moveOne', params: { to: anyPointerParam, value: anyValueParam, 'twice?': flagParam } },
          (_context, { to, value, twice }) => {
            to[0] = twice ? value + value : value;
          },
        ),
        form(
          { name: 'moveAt', use: { FIRST: 3 }, params: { at: u32, to: anyPointerParam, value: anyValueParam } },
          ({ FIRST }, call) => {
            call.to[FIRST + call.at] = call.value;
          },
        ),
      ],
    });
    expect(lower('move(q, n + 1); move(q, n, true); move(2, p, flag ? 1 : 2);', { use: { move } }))
      .toMatchInlineSnapshot(`
      "
      local %0 value: u32
      %0 = (n + 1:u32)
      store q, %0
      store q, (n + n)
      store (p +> 5:i32), select(flag, 1:f32, 2:f32)
      "
    `);
    expect(wrong('move(q, x);', { use: { move } })).toMatchInlineSnapshot(`
      [
        "K2003 f32 is not converted to u32 implicitly [twice ? value + value : value]",
      ]
    `);
  });

  it('find no other names among their arguments', () => {
    const first = form(
      { name: 'first', params: { to: anyPointerParam } },
      bodyOf('({}, call) => { call.to[0] = call.by; }'),
    );
    expect(wrong('put(q);', { use: { put: forms({ name: 'put', forms: [first] }) } })).toEqual([
      "K1101 a call of first has no member 'by' [by]",
    ]);
  });
});

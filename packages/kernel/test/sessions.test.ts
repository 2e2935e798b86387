import { deviceSession, f32, i32, ptr, structParam, u32 } from '@nccl-ts/kernel';
import { walkBody, type CallStatement } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { kernelFromText, moduleOf } from './support/compile.ts';
import { bodyOf } from './support/body-of.ts';
import { lower, wrong } from './support/lower.ts';

const pair = structParam({ struct: 'Pair', fields: { a: i32, b: i32 } });

/** A session that leaves a trace in memory of all that happens to it. */
const tracer = deviceSession({
  name: 'tracer',
  state: { to: 'fixed', at: u32, turns: u32 },
  params: {
    to: ptr(u32),
    at: u32,
    'options?': { kind: 'options', members: { deep: { kind: 'constant' }, team: pair } },
  },
  ctor: bodyOf(
    '({}, self, to, at, options) => { self.to = to; self.at = at; self.turns = options.deep ? 100 : 0; to[at] = 1; }',
  ),
  methods: {
    turn: { params: { by: u32 }, body: bodyOf('({}, self, by) => { self.turns += by; return self.turns; }') },
    stop: { params: {}, body: bodyOf('({}, self) => { self.to[self.at] = 7; }') },
  },
  dtor: bodyOf('({}, self) => { self.to[self.at] = 2; }'),
});
const quiet = deviceSession({ name: 'quiet', state: {}, params: {}, ctor: bodyOf('() => {}'), methods: {} });
const use = { tracer, quiet };

/** Which session's constructor, method or destructor runs, in the order of the text: `tracer 0`, `tracer.~ 0`. */
function calls(body: string): readonly string[] {
  const text = `({ tracer, quiet, unroll }, { q, n, flag }) => { ${body} }`;
  const module = moduleOf(
    kernelFromText(text, { use, params: { q: ptr(u32), n: u32, flag: { kind: 'scalar', scalar: 'bool' } } }),
  );
  const found: string[] = [];
  walkBody(module.body, {
    statement: (statement) => {
      if (statement.kind === 'call')
        found.push(`${statement.name} ${String((statement satisfies CallStatement).session)}`);
      else if (statement.kind === 'break' || statement.kind === 'leave' || statement.kind === 'return')
        found.push(statement.kind);
    },
  });
  return found;
}

describe('a session', () => {
  it('is a constructor, methods and a destructor at the end of its block', () => {
    expect(lower('const a = tracer(q, n); q[9] = a.turn(3); a.stop();', { use })).toMatchInlineSnapshot(`
      "
      local %0 tracer.at: u32
      local %1 tracer.turns: u32
      local %2 result: u32
      call tracer(q, n) session 0 {
        %0 = n
        %1 = 0:u32
        store (q +> n), 1:u32
      }
      %2 = call tracer.turn(3:u32) session 0 {
        %1 = (%1 + 3:u32)
        %2 = %1
      }
      store (q +> 9:i32), %2
      call tracer.stop() session 0 {
        store (q +> %0), 7:u32
      }
      call tracer.~() session 0 {
        store (q +> %0), 2:u32
      }
      "
    `);
  });

  it('without a destructor leaves nothing at the end', () => {
    expect(lower('const a = quiet();', { use })).toMatchInlineSnapshot(`
      "
      call quiet() session 0 {
      }
      "
    `);
  });

  it('takes options, which may be left out', () => {
    expect(lower('tracer(q, 0, { deep: true });', { use })).toContain('store q, 1:u32');
    expect(wrong('tracer(q, 0, { deeper: true });', { use })).toEqual(["K1106 tracer has no option 'deeper' [deeper]"]);
    expect(wrong('tracer(q, 0, { deep: flag });', { use })).toEqual([
      "K1113 tracer: 'deep' must be known when the kernel is compiled [flag]",
    ]);
    expect(wrong('tracer(q);', { use })).toEqual(['K1103 tracer takes 2 to 3 arguments, given 1 [tracer(q)]']);
    expect(wrong('tracer(q, x);', { use })).toEqual(['K2003 f32 does not become u32 by itself [x]']);
    expect(wrong('tracer(p, 0);', { use })).toEqual(["K1104 tracer: 'to' must be a pointer to u32 [p]"]);
  });
});

describe('a composed method', () => {
  const doubler = deviceSession({
    name: 'doubler',
    state: { to: 'fixed', sum: u32 },
    params: { to: ptr(u32) },
    ctor: bodyOf('({}, self, to) => { self.to = to; self.sum = 0; }'),
    methods: {
      add: { params: { by: u32 }, body: bodyOf('({}, self, by) => { self.sum += by; return self.sum; }') },
      addAll: {
        composed: true,
        params: { n: { kind: 'constant' }, of: { kind: 'function' } },
        body: bodyOf('({ unroll }, session, n, of) => { for (const i of unroll(n)) session.add(of(i)); }'),
      },
    },
  });

  it('leaves the calls of the others, and none of its own', () => {
    const lowered = lower('const a = doubler(q); a.addAll(2, (i) => n + i); q[0] = a.add(1);', { use: { doubler } });
    const found = lowered.split('\n').flatMap((line) => /call (\S+ session \d+)/.exec(line)?.slice(1) ?? []);
    expect(found).toEqual([
      'doubler(q) session 0',
      'doubler.add(%1) session 0',
      'doubler.add(%2) session 0',
      'doubler.add(1:u32) session 0',
    ]);
  });

  it('sees the session as a kernel does, and not its state', () => {
    const peeks = deviceSession({
      name: 'peeks',
      state: { sum: u32 },
      params: {},
      ctor: bodyOf('({}, self) => { self.sum = 0; }'),
      methods: { peek: { composed: true, params: {}, body: bodyOf('({}, session) => session.sum') } },
    });
    expect(wrong('q[0] = peeks().peek();', { use: { peeks } })).toEqual([
      expect.stringContaining("K1101 session 'peeks' has no member 'sum'"),
    ]);
  });
});

describe('the destructor', () => {
  it('runs for several sessions in the opposite order', () => {
    expect(calls('const a = tracer(q, 0); const b = tracer(q, 1); a.stop();')).toEqual([
      'tracer 0',
      'tracer 1',
      'tracer.stop 0',
      'tracer.~ 1',
      'tracer.~ 0',
    ]);
  });

  it('runs at the end of a nested block', () => {
    expect(calls('const a = tracer(q, 0); { const b = tracer(q, 1); } a.stop();')).toEqual([
      'tracer 0',
      'tracer 1',
      'tracer.~ 1',
      'tracer.stop 0',
      'tracer.~ 0',
    ]);
  });

  it('runs in each round of a loop', () => {
    expect(calls('for (let i = 0; i < n; i++) { const a = tracer(q, i); a.stop(); }')).toEqual([
      'tracer 0',
      'tracer.stop 0',
      'tracer.~ 0',
    ]);
  });

  it('runs once on every way out of a loop', () => {
    expect(
      calls(
        'const a = tracer(q, 0); for (let i = 0; i < n; i++) { const b = tracer(q, 1); if (i === 3) break; if (i === 2) continue; b.stop(); }',
      ),
    ).toEqual([
      'tracer 0',
      'tracer 1',
      'tracer.~ 1',
      'break',
      'tracer.~ 1',
      'tracer.stop 1',
      'tracer.~ 1',
      'tracer.~ 0',
    ]);
  });

  it('runs once on every way out of the kernel', () => {
    const text =
      'const a = tracer(q, 0); if (flag) { const b = tracer(q, 1); if (n === 1) return; b.stop(); } if (n === 2) return; a.stop();';
    expect(calls(text)).toEqual([
      'tracer 0',
      'tracer 1',
      // n === 1
      'tracer.~ 1',
      'tracer.~ 0',
      'return',
      // else
      'tracer.stop 1',
      'tracer.~ 1',
      // n === 2
      'tracer.~ 0',
      // else
      'tracer.stop 0',
      'tracer.~ 0',
    ]);
  });

  it('runs in unrolled rounds, also in those that are left', () => {
    expect(calls('for (const i of unroll(3)) { const a = tracer(q, i); if (i === 1) continue; a.stop(); }')).toEqual([
      'tracer 0',
      'tracer.stop 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.~ 1',
      'tracer 2',
      'tracer.stop 2',
      'tracer.~ 2',
    ]);
  });

  it('runs at the end of the function that made it, after what that returns was computed', () => {
    expect(lower('const f = () => { const a = tracer(q, 0); return a.turn(1) + q[5]; }; q[6] = f();', { use }))
      .toMatchInlineSnapshot(`
      "
      local %0 tracer.at: u32
      local %1 tracer.turns: u32
      local %2 result: u32
      local %3 v: u32
      local %4 result: u32
      call tracer(q, 0:u32) session 0 {
        %0 = 0:u32
        %1 = 0:u32
        store q, 1:u32
      }
      %2 = call tracer.turn(1:u32) session 0 {
        %1 = (%1 + 1:u32)
        %2 = %1
      }
      %3 = load (q +> 5:i32)
      %4 = (%2 + %3)
      call tracer.~() session 0 {
        store (q +> %0), 2:u32
      }
      store (q +> 6:i32), %4
      "
    `);
  });

  it('runs in each arm of a branch alone', () => {
    expect(calls('if (flag) { const a = tracer(q, 0); } else { const a = tracer(q, 1); a.stop(); }')).toEqual([
      'tracer 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.stop 1',
      'tracer.~ 1',
    ]);
  });

  it('of a session without a name runs at the end of its expression, as for a temporary in C++', () => {
    expect(calls('tracer(q, 0).stop(); tracer(q, 1).stop();')).toEqual([
      'tracer 0',
      'tracer.stop 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.stop 1',
      'tracer.~ 1',
    ]);
    expect(calls('tracer(q, 0); q[1] = 1;')).toEqual(['tracer 0', 'tracer.~ 0']);
    expect(calls('if (tracer(q, 0).turn(1) > n) { tracer(q, 1).stop(); }')).toEqual([
      'tracer 0',
      'tracer.turn 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.stop 1',
      'tracer.~ 1',
    ]);
    expect(calls('const a = tracer(q, 0).turn(2); q[1] = a;')).toEqual(['tracer 0', 'tracer.turn 0', 'tracer.~ 0']);
    expect(calls('while (tracer(q, 0).turn(1) < n);')).toEqual(['tracer 0', 'tracer.turn 0', 'tracer.~ 0', 'break']);
    expect(calls('flag && tracer(q, 0).stop(), tracer(q, 1).stop();')).toEqual([
      'tracer 0',
      'tracer.stop 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.stop 1',
      'tracer.~ 1',
    ]);
    expect(calls('const f = () => tracer(q, 0).turn(1); q[2] = f() + f();')).toEqual([
      'tracer 0',
      'tracer.turn 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.turn 1',
      'tracer.~ 1',
    ]);
  });

  it('keeps the value of the expression from before', () => {
    expect(lower('const a = tracer(q, 0).turn(2); q[1] = a;', { use })).toMatchInlineSnapshot(`
      "
      local %0 tracer.at: u32
      local %1 tracer.turns: u32
      local %2 result: u32
      call tracer(q, 0:u32) session 0 {
        %0 = 0:u32
        %1 = 0:u32
        store q, 1:u32
      }
      %2 = call tracer.turn(2:u32) session 0 {
        %1 = (%1 + 2:u32)
        %2 = %1
      }
      call tracer.~() session 0 {
        store (q +> %0), 2:u32
      }
      store (q +> 1:i32), %2
      "
    `);
  });
});

describe('sessions are not', () => {
  it('copied, reassigned, stored, returned or chosen', () => {
    const message = 'K1115 a session cannot be copied, reassigned, returned or chosen at run time';
    expect(wrong('const a = tracer(q, 0); const o = a;', { use })).toEqual([`${message} [a]`]);
    expect(wrong('let a = tracer(q, 0); a = tracer(q, 1);', { use })).toEqual([`${message} [tracer(q, 0)]`]);
    expect(wrong('const f = () => tracer(q, 0); f();', { use })).toEqual([`${message} [tracer(q, 0)]`]);
    expect(wrong('const f = () => { if (flag) return tracer(q, 0); return tracer(q, 1); }; f();', { use })).toEqual([
      `${message} [tracer(q, 0)]`,
      `${message} [tracer(q, 1)]`,
    ]);
    expect(wrong('const a = tracer(q, 0), o = tracer(q, 1); (flag ? a : o).stop();', { use })).toEqual([
      `${message} [a]`,
    ]);
  });

  it('opened: their state is their own', () => {
    expect(wrong('const a = tracer(q, 0); q[1] = a.turns;', { use })).toEqual([
      "K1101 session 'tracer' has no member 'turns' [turns]",
    ]);
    expect(wrong('const a = tracer(q, 0); a.turns = 1;', { use })).toEqual([
      'K1033 this cannot be assigned to [a.turns]',
    ]);
  });

  it('lost when they are passed on: a function calls the methods of the same one', () => {
    expect(calls('const f = (s) => s.stop(); const a = tracer(q, 0); f(a); f(a);')).toEqual([
      'tracer 0',
      'tracer.stop 0',
      'tracer.stop 0',
      'tracer.~ 0',
    ]);
  });
});

it('fixed state may be anything, bound once', () => {
  const keeper = deviceSession({
    name: 'keeper',
    state: { T: 'fixed', f: 'fixed', coop: 'fixed', team: 'fixed' },
    params: { T: { kind: 'type' }, f: { kind: 'function' }, coop: { kind: 'coop' }, team: pair },
    ctor: bodyOf('({}, self, T, f, coop, team) => { self.T = T; self.f = f; self.coop = coop; self.team = team; }'),
    methods: {
      run: {
        params: { x: u32 },
        body: bodyOf('({}, self, x) => { self.coop.sync(); return self.T(self.f(x)) * self.T(self.team.b); }'),
      },
    },
  });
  const more = { use: { keeper, Pair: pair, F: f32 } };
  expect(lower('const a = keeper(F, (z) => z + 1, coopWarp(), Pair({ a: i, b: 3 })); p[0] = a.run(n);', more))
    .toMatchInlineSnapshot(`
    "
    local %0 result: f32
    call keeper<T = type f32, coop = coop tile(32)>(i, 3:i32) session 0 {
    }
    %0 = call keeper.run(n) session 0 {
      sync tile(32)
      %0 = (f32((n + 1:u32)) * f32(3:i32))
    }
    store p, %0
    "
  `);
  expect(wrong('const a = keeper(F, 4, coopWarp(), Pair({ a: i, b: 3 }));', more)).toEqual([
    "K1104 keeper: 'f' must be a function [4]",
  ]);
});

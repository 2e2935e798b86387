import { deviceSession, f32, i32, ptr, structParam, u32 } from '@nccl-ts/kernel';
import { walkBody, type CallStatement } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { kernelFromText, moduleOf } from './support/compile.ts';
import { bodyOf } from './support/body-of.ts';
import { lower, wrong } from './support/lower.ts';

const pair = structParam({ struct: 'Pair', fields: { a: i32, b: i32 } });

/** A session that records in memory everything that happens to it. */
const tracer = deviceSession({
  name: 'tracer',
  state: { to: 'fixed', at: u32, turns: u32 },
  params: {
    to: ptr(u32),
    at: u32,
    'options?': { kind: 'options', members: { deep: { kind: 'constant' }, team: pair } },
  },
  ctor: bodyOf(
    '({}, self, { to, at, options }) => { self.to = to; self.at = at; self.turns = options.deep ? 100 : 0; to[at] = 1; }',
  ),
  methods: {
    turn: { params: { by: u32 }, body: bodyOf('({}, self, { by }) => { self.turns += by; return self.turns; }') },
    stop: { params: {}, body: bodyOf('({}, self) => { self.to[self.at] = 7; }') },
  },
  dtor: bodyOf('({}, self) => { self.to[self.at] = 2; }'),
});
const quiet = deviceSession({ name: 'quiet', state: {}, params: {}, ctor: bodyOf('() => {}'), methods: {} });
const use = { tracer, quiet };

/**
 * The constructors, methods and destructors that run, in the order of the text: `tracer 0`,
 * `tracer.~ 0`.
 */
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
      "K1113 tracer: 'deep' must be a compile-time constant [flag]",
    ]);
    expect(wrong('tracer(q);', { use })).toEqual(['K1103 tracer takes 2 to 3 arguments, given 1 [tracer(q)]']);
    expect(wrong('tracer(q, x);', { use })).toEqual(['K2003 f32 is not converted to u32 implicitly [x]']);
    expect(wrong('tracer(p, 0);', { use })).toEqual(["K1104 tracer: 'to' must be a pointer to u32 [p]"]);
  });
});

describe('a composed method', () => {
  const doubler = deviceSession({
    name: 'doubler',
    state: { to: 'fixed', sum: u32 },
    params: { to: ptr(u32) },
    ctor: bodyOf('({}, self, { to }) => { self.to = to; self.sum = 0; }'),
    methods: {
      add: { params: { by: u32 }, body: bodyOf('({}, self, { by }) => { self.sum += by; return self.sum; }') },
      addAll: {
        composed: true,
        params: { n: { kind: 'constant' }, of: { kind: 'function' } },
        body: bodyOf('({ unroll }, session, { n, of }) => { for (const i of unroll(n)) session.add(of(i)); }'),
      },
    },
  });

  it('leaves only calls of other methods in the IR', () => {
    const lowered = lower('const a = doubler(q); a.addAll(2, (i) => n + i); q[0] = a.add(1);', { use: { doubler } });
    const found = lowered.split('\n').flatMap((line) => /call (\S+ session \d+)/.exec(line)?.slice(1) ?? []);
    expect(found).toEqual([
      'doubler(q) session 0',
      'doubler.add(%1) session 0',
      'doubler.add(%2) session 0',
      'doubler.add(1:u32) session 0',
    ]);
  });

  it('sees the session as a kernel does, without its state', () => {
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
  it('runs for several sessions in reverse order', () => {
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

  it('runs once on every exit from a loop', () => {
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

  it('runs once on every exit from the kernel', () => {
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

  it('runs in unrolled rounds, also in those with an early exit', () => {
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

  it('runs at the end of the function that made it, after its result was computed', () => {
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

  it('runs only in the arm of the branch that has the session', () => {
    expect(calls('if (flag) { const a = tracer(q, 0); } else { const a = tracer(q, 1); a.stop(); }')).toEqual([
      'tracer 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.stop 1',
      'tracer.~ 1',
    ]);
  });

  it('of a session without a name runs at the end of its expression, like a C++ temporary', () => {
    expect(calls('tracer(q, 0).stop(); tracer(q, 1).stop();')).toEqual([
      'tracer 0',
      'tracer.stop 0',
      'tracer.~ 0',
      'tracer 1',
      'tracer.stop 1',
      'tracer.~ 1',
    ]);
    expect(calls('tracer(q, 0); q[1] = 1;')).toEqual(['tracer 0', 'tracer.~ 0']);
    // Minifiers join statements.
    const joined = ['tracer 0', 'tracer.stop 0', 'tracer.~ 0', 'tracer 1', 'tracer.stop 1', 'tracer.~ 1'];
    expect(calls('tracer(q, 0).stop(), tracer(q, 1).stop();')).toEqual(joined);
    expect(calls('if (tracer(q, 0).stop(), tracer(q, 1).stop(), flag) q[0] = 1;')).toEqual(joined);
    expect(calls('return tracer(q, 0).stop(), void tracer(q, 1).stop();')).toEqual(joined);
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

  it("runs after the expression's value was computed", () => {
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

describe('a part of a session', () => {
  /**
   * begins in its session's constructor, and ends after the destructor, in reverse order. The
   * second part comes first in the state.
   */
  const outer = deviceSession({
    name: 'outer',
    use: { tracer },
    state: { second: 'part', first: 'part', to: 'fixed' },
    params: { to: ptr(u32), hasFirst: { kind: 'constant' }, hasSecond: { kind: 'constant' } },
    ctor: bodyOf(
      '({ tracer }, self, { to, hasFirst, hasSecond }) => { self.to = to; if (hasFirst) self.first = tracer(to, 1); if (hasSecond) { self.second = tracer(to, 2); } }',
    ),
    methods: {
      stopAll: {
        params: {},
        body: bodyOf(
          '({}, self) => { if (self.first !== undefined) self.first.stop(); if (self.second !== undefined) self.second.stop(); }',
        ),
      },
      count: {
        params: {},
        body: bodyOf('({}, self) => (self.first === undefined ? 0 : 1) + (self.second === undefined ? 0 : 1)'),
      },
    },
    dtor: bodyOf('({}, self) => { self.to[0] = 9; }'),
  });
  /** ends with its session on every exit, not with the block that requested it */
  const outermost = deviceSession({
    name: 'outermost',
    use: { outer },
    state: { only: 'part' },
    params: { to: ptr(u32) },
    ctor: bodyOf('({ outer }, self, { to }) => { self.only = outer(to, true, true); }'),
    methods: {},
  });
  const parts = { tracer, outer, outermost };

  function partCalls(body: string): readonly string[] {
    const text = `({ tracer, outer, outermost, unroll }, { q, n, flag }) => { ${body} }`;
    const flag = { kind: 'scalar', scalar: 'bool' } as const;
    const module = moduleOf(kernelFromText(text, { use: parts, params: { q: ptr(u32), n: u32, flag } }));
    const found: string[] = [];
    walkBody(module.body, {
      statement: (statement) => {
        if (statement.kind === 'call') found.push(`${statement.name} ${String(statement.session)}`);
        else if (statement.kind === 'break' || statement.kind === 'leave' || statement.kind === 'return')
          found.push(statement.kind);
      },
    });
    return found;
  }

  it('begins in the constructor of its session, and ends after the destructor, the last one first', () => {
    expect(lower('const a = outer(q, true, true);', { use: parts })).toMatchInlineSnapshot(`
      "
      local %0 tracer.at: u32
      local %1 tracer.turns: u32
      local %2 tracer.at: u32
      local %3 tracer.turns: u32
      call outer<hasFirst = true, hasSecond = true>(q) session 0 {
        call tracer(q, 1:u32) session 1 {
          %0 = 1:u32
          %1 = 0:u32
          store (q +> 1:u32), 1:u32
        }
        call tracer(q, 2:u32) session 2 {
          %2 = 2:u32
          %3 = 0:u32
          store (q +> 2:u32), 1:u32
        }
      }
      call outer.~() session 0 {
        store q, 9:u32
        call tracer.~() session 2 {
          store (q +> %2), 2:u32
        }
        call tracer.~() session 1 {
          store (q +> %0), 2:u32
        }
      }
      "
    `);
  });

  it('is returned by a member with its name', () => {
    expect(partCalls('const a = outer(q, true, true); a.second().stop(); a.first().turn(1); a.stopAll();')).toEqual([
      'outer 0',
      'tracer 1',
      'tracer 2',
      'tracer.stop 2',
      'tracer.turn 1',
      'outer.stopAll 0',
      'tracer.stop 1',
      'tracer.stop 2',
      'outer.~ 0',
      'tracer.~ 2',
      'tracer.~ 1',
    ]);
    expect(wrong('const a = outer(q, true, false); a.first(1).stop();', { use: parts })).toEqual([
      'K1103 first takes 0 arguments, given 1 [a.first(1)]',
    ]);
  });

  it('ends with its session on every exit, and not with the block that requested it', () => {
    expect(
      partCalls(
        'const a = tracer(q, 5); for (let i = 0; i < n; i++) { const b = outer(q, true, false); { b.first().stop(); } if (i === 3) break; if (flag) return; b.stopAll(); } a.stop();',
      ),
    ).toEqual([
      'tracer 0',
      'outer 1',
      'tracer 2',
      'tracer.stop 2',
      // i === 3
      'outer.~ 1',
      'tracer.~ 2',
      'break',
      // flag
      'outer.~ 1',
      'tracer.~ 2',
      'tracer.~ 0',
      'return',
      // else
      'outer.stopAll 1',
      'tracer.stop 2',
      'outer.~ 1',
      'tracer.~ 2',
      'tracer.stop 0',
      'tracer.~ 0',
    ]);
  });

  it('ends with a session that has no name, and in each unrolled round', () => {
    expect(partCalls('outer(q, true, false).first().stop(); q[1] = 1;')).toEqual([
      'outer 0',
      'tracer 1',
      'tracer.stop 1',
      'outer.~ 0',
      'tracer.~ 1',
    ]);
    expect(partCalls('for (const i of unroll(2)) { const a = outer(q, i === 0, i === 1); a.stopAll(); }')).toEqual([
      'outer 0',
      'tracer 1',
      'outer.stopAll 0',
      'tracer.stop 1',
      'outer.~ 0',
      'tracer.~ 1',
      'outer 2',
      'tracer 3',
      'outer.stopAll 2',
      'tracer.stop 3',
      'outer.~ 2',
      'tracer.~ 3',
    ]);
  });

  it('may have parts, which end with it', () => {
    expect(
      partCalls('const a = outermost(q); a.only().second().stop(); if (flag) return; a.only().stopAll();'),
    ).toEqual([
      'outermost 0',
      'outer 1',
      'tracer 2',
      'tracer 3',
      'tracer.stop 3',
      'outermost.~ 0',
      'outer.~ 1',
      'tracer.~ 3',
      'tracer.~ 2',
      // else
      'outer.stopAll 1',
      'tracer.stop 2',
      'tracer.stop 3',
      'outermost.~ 0',
      'outer.~ 1',
      'tracer.~ 3',
      'tracer.~ 2',
    ]);
  });

  it('that was not created is undefined in the methods, and is not a member', () => {
    expect(lower('q[0] = outer(q, false, true).count();', { use: parts })).toContain('store q, 1:u32');
    expect(partCalls('const a = outer(q, false, false); a.stopAll();')).toEqual([
      'outer 0',
      'outer.stopAll 0',
      'outer.~ 0',
    ]);
    expect(wrong('const a = outer(q, false, true); a.first().stop();', { use: parts })).toEqual([
      "K1101 session 'outer' has no member 'first' [first]",
    ]);
  });

  it('cannot be copied or returned', () => {
    const message = 'K1115 a session cannot be copied, reassigned, returned or chosen at run time';
    expect(
      wrong('const f = () => { const a = outer(q, true, false); return a.first(); }; f().stop();', { use: parts }),
    ).toEqual([`${message} [a.first()]`]);
    expect(wrong('const a = outer(q, true, true); (flag ? a.first() : a.second()).stop();', { use: parts })).toEqual([
      `${message} [a.first()]`,
    ]);
  });

  /** The errors of a session of these texts. */
  function wrongParts(ctor: string, method = '({}) => {}', call = 'one(q, flag).go();'): readonly string[] {
    const one = deviceSession({
      name: 'one',
      use: { tracer },
      state: { to: 'fixed', part: 'part' },
      params: { to: ptr(u32), flag: { kind: 'scalar', scalar: 'bool' } },
      ctor: bodyOf(ctor),
      methods: { go: { params: {}, body: bodyOf(method) } },
    });
    return wrong(call, { use: { one } });
  }

  it('is created once by the constructor, and is a session', () => {
    expect(
      wrongParts('({ tracer }, self, { to }) => { self.part = tracer(to, 0); self.part = tracer(to, 1); }'),
    ).toEqual(["K1122 session state 'part' is fixed: only the constructor binds it, once [self.part]"]);
    expect(
      wrongParts(
        '({}, self, { to }) => { self.to = to; }',
        '({ tracer }, self) => { self.part = tracer(self.to, 0); }',
      ),
    ).toEqual(["K1122 session state 'part' is fixed: only the constructor binds it, once [self.part]"]);
    expect(wrongParts('({}, self, { to }) => { self.part = to; }')).toEqual([
      "K1104 one: 'part' must be a session [self.part]",
    ]);
  });

  it('is created on every path through the constructor', () => {
    const message = 'K1115 a session cannot be copied, reassigned, returned or chosen at run time [self.part]';
    const made = 'self.part = tracer(to, 0);';
    expect(wrongParts(`({ tracer }, self, { to, flag }) => { if (flag) { ${made} } }`)).toEqual([message]);
    expect(wrongParts(`({ tracer }, self, { to, flag }) => { if (flag) return; ${made} }`)).toEqual([message]);
    expect(wrongParts(`({ tracer }, self, { to, flag }) => { for (let i = 0; i < 2; i++) { ${made} } }`)).toEqual([
      message,
    ]);
    expect(wrongParts(`({ tracer }, self, { to, flag }) => { if (true) { ${made} } }`)).toEqual([]);
  });
});

describe('a session in a kernel', () => {
  it('cannot be copied, reassigned, stored, returned or chosen', () => {
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

  it('has private state', () => {
    expect(wrong('const a = tracer(q, 0); q[1] = a.turns;', { use })).toEqual([
      "K1101 session 'tracer' has no member 'turns' [turns]",
    ]);
    expect(wrong('const a = tracer(q, 0); a.turns = 1;', { use })).toEqual([
      'K1033 this cannot be assigned to [a.turns]',
    ]);
  });

  it('is the same session inside a function that takes it', () => {
    expect(calls('const f = (s) => s.stop(); const a = tracer(q, 0); f(a); f(a);')).toEqual([
      'tracer 0',
      'tracer.stop 0',
      'tracer.stop 0',
      'tracer.~ 0',
    ]);
  });
});

it('fixed state can have any type, and is bound once', () => {
  const keeper = deviceSession({
    name: 'keeper',
    state: { T: 'fixed', f: 'fixed', coop: 'fixed', team: 'fixed' },
    params: { T: { kind: 'type' }, f: { kind: 'function' }, coop: { kind: 'coop' }, team: pair },
    ctor: bodyOf('({}, self, { T, f, coop, team }) => { self.T = T; self.f = f; self.coop = coop; self.team = team; }'),
    methods: {
      run: {
        params: { x: u32 },
        body: bodyOf('({}, self, { x }) => { self.coop.sync(); return self.T(self.f(x)) * self.T(self.team.b); }'),
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

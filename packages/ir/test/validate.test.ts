import {
  binary,
  constant,
  local,
  parseModule,
  renderDiagnostics,
  scalarType,
  validate,
  vector,
  vectorType,
  type Capabilities,
  type Diagnostic,
  type Expression,
  type Module,
  type Statement,
} from '@nccl-ts/ir';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { moduleArbitrary } from './support/module-arbitrary.ts';
import { kernel } from './support/parse.ts';
import { everything } from './support/vocabulary.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have a fifth of the runs of each property. */
const runs = (all: number): number => (inject('slow') ? all : Math.ceil(all / 5));

function diagnostics(module: Module, capabilities: Partial<Capabilities> = {}): readonly Diagnostic[] {
  const validation = validate(module, { ...everything, ...capabilities });
  return validation.ok ? [] : validation.diagnostics;
}

/** Codes and messages of the errors in `body`. */
function found(body: string, capabilities: Partial<Capabilities> = {}): readonly string[] {
  return diagnostics(kernel(body), capabilities).map(({ code, message }) => `${code} ${message}`);
}

const span = { source: 0, start: 0, end: 0 };

function withBody(...body: readonly Statement[]): Module {
  return { ...kernel(''), body };
}

describe('validate', () => {
  it('accepts every well-typed module', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        expect(diagnostics(module)).toEqual([]);
      }),
      { seed: 8, numRuns: runs(300) },
    );
  });

  it('marks the modules that it accepts', () => {
    const module = kernel('%0 = 1:u32');
    const validation = validate(module, everything);
    expect(validation).toEqual({ ok: true, module: { ...module, capabilities: everything } });
  });

  it('refuses clusters that a backend does not have', () => {
    const module = { ...kernel('%0 = 1:u32'), cluster: { x: 2, y: 1, z: 1 } };
    expect(diagnostics(module, { clusters: false }).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'K3509 The backend "test" does not support clusters.',
    ]);
    expect(diagnostics(module, { clusters: true })).toEqual([]);
  });

  it.for(slow)('never throws, for any numbers and types in a module', () => {
    const odd = fc.constantFrom(-1, 1.5, NaN, Infinity, 2 ** 40, 99);
    fc.assert(
      fc.property(
        moduleArbitrary({ size: 150 }),
        fc.array(fc.tuple(fc.nat(), odd), { minLength: 1 }),
        (module, changes) => {
          const broken = structuredClone({ ...module });
          const places = objectsIn(broken.body).flatMap((node) =>
            Object.entries(node).flatMap(([key, value]) => (typeof value === 'number' ? [{ node, key }] : [])),
          );
          for (const [index, value] of changes) {
            const place = places[index % Math.max(1, places.length)];
            if (place !== undefined) Object.assign(place.node, { [place.key]: value });
          }
          expect(() => diagnostics(broken)).not.toThrow();
        },
      ),
      { seed: 9, numRuns: runs(200) },
    );
  });
});

function objectsIn(root: unknown, seen: Set<object> = new Set()): readonly object[] {
  if (typeof root === 'object' && root !== null && !seen.has(root)) {
    seen.add(root);
    for (const value of Object.values(root)) objectsIn(value, seen);
  }
  return [...seen];
}

describe('malformed IR', () => {
  it.each([
    ['%0 = 1:f32', 'K4005 Malformed IR: assign sets local 0 to f32, but the local has type u32.'],
    ['%0 = (%0 + %2)', 'K4002 Malformed IR: the right operand of add has type f32, expected u32.'],
    ['%2 = (%2 << %2)', 'K4002 Malformed IR: f32 has no shl.'],
    ['%4 = (%4 + %4)', 'K4002 Malformed IR: bool has no add.'],
    ['%4 = (%4 < %4)', 'K4002 Malformed IR: bool has no lt.'],
    ['%4 = (%6 == %6)', 'K4002 Malformed IR: vec(f32, 4) has no eq.'],
    [
      '%0 = neg(%8)',
      'K4002 Malformed IR: addr has no neg.',
      'K4005 Malformed IR: assign sets local 0 to addr, but the local has type u32.',
    ],
    ['%8 = addr(%2)', 'K4002 Malformed IR: f32 has no conversion to addr.'],
    ['%6 = vec(f32, 4)(%2)', 'K4002 Malformed IR: f32 has no conversion to vec(f32, 4).'],
    ['%5 = bitcast(u64, %0)', 'K4002 Malformed IR: u32 has no bitcast to u64.'],
    ['%4 = bitcast(bool, 1:u8)', 'K4002 Malformed IR: u8 has no bitcast to bool.'],
    ['%2 = math.fma(%2, %2)', 'K4011 Malformed IR: math.fma has 2 arguments, expected 3.'],
    ['%7 = math.sqrt(%7)', 'K4002 Malformed IR: i32 has no math.sqrt.'],
    ['%6 = vec(f32, 4)[%2, %3]', 'K4011 Malformed IR: vec(f32, 4) has 2 elements, but needs 1 or 4.'],
    ['%2 = lane(%6, 1n:u64)', 'K4002 Malformed IR: the index of an element has type u64, expected u32 or i32.'],
    ['%0 = select(%0, 1:u32, 2:u32)', 'K4002 Malformed IR: the condition of a select has type u32, expected bool.'],
    [
      '%0 = 300:u8',
      'K4004 Malformed IR: 300 is not a value of u8.',
      'K4005 Malformed IR: assign sets local 0 to u8, but the local has type u32.',
    ],
    ['%0 = load %1', 'K4002 Malformed IR: the address of a load has type u32 but must be a pointer.'],
    ['%0 = load $2', 'K4005 Malformed IR: load sets local 0 to f32, but the local has type u32.'],
    ['%0 = load $3 release.system', 'K4013 Malformed IR: a load cannot be release, only relaxed, acquire, seq_cst.'],
    [
      'store $3, 1:u32 acquire.system',
      'K4013 Malformed IR: a store cannot be acquire, only relaxed, release, seq_cst.',
    ],
    ['store $3, %2', 'K4002 Malformed IR: the value of a store has type f32, expected u32.'],
    ['atomic cas $3, 1:u32 relaxed.device', 'K4011 Malformed IR: atomic cas lacks an expected value.'],
    ['atomic xor $2, 1:f32 relaxed.device', 'K4002 Malformed IR: f32 has no atomic xor.'],
    [
      '%0 = load ($2 +> %2)',
      'K4002 Malformed IR: the elements a pointer is moved by has type f32, expected an integer.',
      'K4005 Malformed IR: load sets local 0 to f32, but the local has type u32.',
    ],
    [
      '%2 = load window(f32, $1, %0, 0:addr)',
      'K4002 Malformed IR: the peer of a window pointer has type u32, expected i32.',
    ],
    ['break', 'K4006 Malformed IR: break is outside a loop.'],
    ['loop { call f() { continue } }', 'K4006 Malformed IR: continue is outside a loop.'],
    ['leave 1', 'K4007 Malformed IR: leave 1 is outside block 1.'],
    ['block 1 { } block 1 { }', 'K4008 Malformed IR: two nested blocks have the label 1.'],
    [
      'wait { store $3, 1:u32 } until true',
      'K4009 Malformed IR: store is in a wait, which may only load, assign and branch.',
    ],
    [
      'wait { if %4 { sync cta } } until true',
      'K4009 Malformed IR: sync is in a wait, which may only load, assign and branch.',
    ],
    [
      'waitAll cta %0 < 2:u32 { %1 = load $3 } until true print(%1)',
      'K4012 Malformed IR: local 1, which the body of a waitAll sets, is read outside it.',
    ],
    [
      'waitAll cta %7 < 2:u32 { } until %0',
      'K4005 Malformed IR: waitAll sets local 7 to u32, but the local has type i32.',
      'K4002 Malformed IR: the condition of a waitAll has type u32, expected bool.',
    ],
    ['sync tile(3)', 'K4011 Malformed IR: a tile has 3 threads, but must have a power of two up to 32.'],
    ['sync tile(8) barrier 1:u32', 'K4011 Malformed IR: a tile has no named barriers, only the CTA and warps have.'],
    [
      'sync tile(32) barrier 0:u32 threads 32:u32',
      'K4011 Malformed IR: a barrier of a warp has a number of threads, only those of the CTA do.',
    ],
    ['%0 = sync tile(32) barrier 1:u32 vote true', 'K4011 Malformed IR: a vote needs a named barrier of the CTA.'],
    ['sync cta barrier true aligned', 'K4002 Malformed IR: the name of a barrier has type bool, expected u32.'],
    ['%0 = collective ballot cta value true', 'K4011 Malformed IR: ballot needs threads of one warp, not a cta.'],
    ['%0 = collective shfl tile(32) value %0', 'K4011 Malformed IR: shfl has too many or too few values or lanes.'],
    ['%0 = clock', 'K4005 Malformed IR: clock sets local 0 to u64, but the local has type u32.'],
    ['print($0)', 'K4002 Malformed IR: a DevComm cannot be printed.'],
    ['require %0, "x"', 'K4002 Malformed IR: what is asserted has type u32, expected bool.'],
    ['require true, "x {}", $0', 'K4002 Malformed IR: a message cannot show a DevComm.'],
    ['require true, "x {}", %0, %0', 'K4002 Malformed IR: a message with 1 placeholders has 2 values.'],
    ['assert %0, "x"', 'K4002 Malformed IR: what is asserted has type u32, expected bool.'],
  ])('malformed IR is reported: %s', (body, ...messages) => expect(found(body)).toEqual(messages));

  it('with references to missing declarations is reported', () => {
    const u32 = scalarType('u32');
    const assign = (target: number, value: Expression): Statement => ({ kind: 'assign', local: target, value, span });
    expect(diagnostics(withBody(assign(99, constant('u32', 1)))).map(({ code }) => code)).toEqual(['K4003']);
    expect(diagnostics(withBody(assign(0, local(NaN, u32)))).map(({ code }) => code)).toEqual(['K4003']);
  });

  it('with contradictory types is reported', () => {
    const lying = { ...binary('add', constant('u32', 1), constant('u32', 2)), type: scalarType('f32') };
    const codes = diagnostics(withBody({ kind: 'assign', local: 2, value: lying, span })).map(({ code }) => code);
    expect(codes).toEqual(['K4001']);
  });

  it('with impossible declarations is reported', () => {
    const wide = parseModule(
      'kernel a param $0 p: ptr(vec(f64, 4)) array #0 x: shared u32[0] local %0 v: vec(u8, 0) { }',
    );
    expect(diagnostics(wide).map(({ message }) => message)).toEqual([
      'Malformed IR: vec(f64, 4) must have 1 to 2 elements.',
      'Malformed IR: vec(u8, 0) must have 1 to 16 elements.',
      'Malformed IR: array x has length 0 but needs a whole number of at least 1.',
    ]);
    const big = vector(vectorType('f64', 4), [constant('f64', 1)]);
    const [first] = diagnostics(withBody({ kind: 'print', args: [big], span }));
    expect(first?.code).toBe('K4010');
    expect(first?.notes).toEqual([
      'This is a bug in the compiler, not in the kernel: please report it with the kernel.',
    ]);
  });

  it('is reported without further problems', () => {
    expect(found('%0 = 1:f32 print("x")', { print: false })).toHaveLength(1);
  });
});

describe('IR beyond the capabilities of a backend', () => {
  it.each<[string, Partial<Capabilities>, string]>([
    [
      '%5 = 1n:u64',
      { scalars: ['u32', 'f32', 'i32', 'bool', 'addr'] },
      'K3501 The backend "test" does not support u64.',
    ],
    ['print("x")', { print: false }, 'K3505 The backend "test" does not support print.'],
    ['call multimem.store()', {}, 'K3506 The backend "test" does not support `multimem.store`.'],
    [
      '%2 = load unicast(multicast(f32, $1, 0:addr, 0:addr), 0:i32)',
      { multimem: false },
      'K3507 The backend "test" does not support multimem.',
    ],
    [
      'sync tile(32)',
      { subgroups: false },
      'K3503 The backend "test" cannot let only a part of a CTA wait or synchronize.',
    ],
    [
      'sync cta barrier 1:u32 threads 32:u32',
      { subgroups: false },
      'K3503 The backend "test" cannot let only a part of a CTA wait or synchronize.',
    ],
    [
      'waitAll warpSpan(0:u32, 1:u32, 0:u32) %0 < 1:u32 { } until true',
      { subgroups: false },
      'K3503 The backend "test" cannot let only a part of a CTA wait or synchronize.',
    ],
    [
      '%4 = collective any tile(8) value true',
      { subgroups: false },
      'K3503 The backend "test" cannot let only a part of a CTA wait or synchronize.',
    ],
    ['', { maxSharedBytes: 255 }, 'K3504 The shared arrays take 256 bytes, but the backend "test" allows 255.'],
    [
      'if (threadIdx.x < 4:u32) { wait { } until true }',
      { divergentWaits: false },
      'K3502 On the backend "test" all threads of a CTA must reach a wait together.',
    ],
    [
      'loop while (threadIdx.x < %0) { sync cta }',
      { divergentWaits: false },
      'K3502 On the backend "test" all threads of a CTA must reach a synchronization of the CTA together.',
    ],
  ])('IR beyond the capabilities of a backend is reported: %s', (body, capabilities, message) => {
    expect(found(body, capabilities)).toEqual([message]);
    expect(found(body, { ...capabilities, ...everything, primitives: ['multimem.store'] })).toEqual([]);
  });

  it.each([
    'if (blockIdx.x < 4:u32) { wait { } until true sync cta }',
    'sync tile(1)',
    'call f() { call g() { } }',
    '%0 = load $3 %0 = collective bcast cta value %0 lane 0:u32 if (%1 == 1:u32) { sync cta }',
  ])('%s needs no capability', (body) => {
    expect(found(body, { divergentWaits: false, subgroups: false, print: false, primitives: [] })).toEqual([]);
  });

  it('name the call that contains a missing primitive, and skip calls that the backend supports', () => {
    const body = 'call gin.put() { call send() { } call gin.post() }';
    expect(found(body, { primitives: [] })).toEqual([
      'K3506 The backend "test" does not support `gin.post`, which `gin.put` is made of.',
    ]);
    expect(found(body, { primitives: ['gin.put'] })).toEqual([]);
    expect(found(body, { primitives: ['gin.post'] })).toEqual([]);
    expect(found(`${body} call gin.post()`, { primitives: ['gin.put'] })).toEqual([
      'K3506 The backend "test" does not support `gin.post`.',
    ]);
  });

  it('name a missing scalar once', () => {
    expect(
      found('%2 = (%2 + 1:f32) %3 = %2 %2 = load $2', { scalars: ['u32'] }).filter((text) =>
        text.includes('does not support f32'),
      ),
    ).toHaveLength(1);
  });
});

describe('a session of a whole CTA', () => {
  const dtor = 'call lsa.session.~() session 1';
  const ctor = 'call lsa.session<coop = coop cta>() session 1';

  it.each([
    ['a divergent return', `${ctor} if (threadIdx.x < 4:u32) { ${dtor} return } ${dtor}`],
    ['a divergent continue', `loop while (%0 < 4:u32) { ${ctor} if (laneId == 0:u32) { ${dtor} continue } ${dtor} }`],
    [
      'a divergent break inside of another branch',
      `loop { if (laneId == 0:u32) { ${ctor} if (threadIdx.x == 0:u32) { ${dtor} break } ${dtor} } }`,
    ],
    ['a return of what stayed', `${ctor} loop while %4 { if (threadIdx.x < 2:u32) { break } ${dtor} return } ${dtor}`],
  ])('a session cannot be left by %s', (_, body) => {
    const capable = { primitives: ['lsa.session', 'lsa.session.~'] };
    expect(found(body, capable)).toEqual(['K3002 Only some threads may leave while a `lsa.session` is alive.']);
  });

  it.each([
    ['a uniform return', `${ctor} if (blockIdx.x < 4:u32) { ${dtor} return } ${dtor}`],
    ['the end of its block', `if (threadIdx.x < 4:u32) { ${ctor} ${dtor} }`],
    ['a return of all that made it', `if (threadIdx.x < 4:u32) { ${ctor} ${dtor} return }`],
  ])('a session can be left by %s', (_, body) => {
    expect(found(body, { primitives: ['lsa.session', 'lsa.session.~'] })).toEqual([]);
  });
});

it('rendering shows the findings', () => {
  const text = `({ threadIdx, coopCta, coopWarp }) => {
  let x = f64(1);
  if (threadIdx.x < 4) {
    coopCta().sync();
  }
  coopWarp().sync();
}`;
  const at = (piece: string): string => {
    const start = text.indexOf(piece);
    return `0:${start}-${start + piece.length}`;
  };
  const module = parseModule(`kernel halo
    source 0 halo = ${JSON.stringify(text)}
    local %0 x: f64 @${at('x = f64(1)')}
    {
      %0 = 1:f64^${at('f64(1)')} @${at('let x = f64(1)')}
      if (threadIdx.x < 4:u32)^${at('threadIdx.x < 4')} @${at('if')} { sync cta @${at('coopCta().sync()')} }
      sync tile(32) @${at('coopWarp().sync()')}
    }`);
  const scalars = ['bool', 'u32', 'f32', 'addr'] as const;
  const webgpu = { backend: 'webgpu', scalars, divergentWaits: false, subgroups: false };
  expect(renderDiagnostics(diagnostics(module, webgpu), module.sources)).toMatchInlineSnapshot(`
    "error[K3501]: The backend "webgpu" does not support f64.
     --> kernel halo (captured text):2:7
      |
    2 |   let x = f64(1);
      |       ^^^^^^^^^^ \`x\` has this type
      |
      = note: It has bool, u32, f32, addr.
      = help: Use a float type that it supports, such as f32.

    error[K3502]: On the backend "webgpu" all threads of a CTA must reach a synchronization of the CTA together.
     --> kernel halo (captured text):4:5
      |
    3 |   if (threadIdx.x < 4) {
      |       --------------- threads of one CTA may take different paths here
    4 |     coopCta().sync();
      |     ^^^^^^^^^^^^^^^^ a synchronization of the CTA that only some threads may reach
      |
      = note: These differ between threads: \`threadIdx\`, \`laneId\`, loaded values, and values computed from them.
      = help: Move it out of the branch, or make the condition the same for all threads with \`coop.bcast\`.

    error[K3503]: The backend "webgpu" cannot let only a part of a CTA wait or synchronize.
     --> kernel halo (captured text):6:3
      |
    6 |   coopWarp().sync();
      |   ^^^^^^^^^^^^^^^^^ this concerns one warp
      |
      = help: Use \`coopCta()\`."
  `);
  const broken = parseModule(
    `kernel halo source 0 halo = ${JSON.stringify(text)} { print((1:u32 + 1:f32)) @${at('let x = f64(1)')} }`,
  );
  expect(renderDiagnostics(diagnostics(broken), broken.sources)).toMatchInlineSnapshot(`
    "error[K4002]: Malformed IR: the right operand of add has type f32, expected u32.
     --> kernel halo (captured text):2:3
      |
    2 |   let x = f64(1);
      |   ^^^^^^^^^^^^^^ while compiling this
      |
      = note: This is a bug in the compiler, not in the kernel: please report it with the kernel."
  `);
});

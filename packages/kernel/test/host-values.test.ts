import { isNcclError } from '@nccl-ts/core';
import {
  analyseKernel,
  deviceFn,
  deviceModule,
  f32,
  kernel,
  ptr,
  structParam,
  u32,
  type ParamTypes,
  type Use,
} from '@nccl-ts/kernel';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { complaints, kernelFromText } from './support/compile.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have a fifth of the runs of each property. */
const runs = (all: number): number => (inject('slow') ? all : Math.ceil(all / 5));

/** Values of wrong types that plain JavaScript may pass. */
function oddValues(): readonly (readonly [string, unknown])[] {
  const cycle: Record<string, unknown> = { kind: 'deviceModule', name: 'cycle' };
  cycle['members'] = { again: cycle };
  const struct: Record<string, unknown> = { kind: 'struct', struct: 'Loop', types: {}, methods: {} };
  struct['fields'] = { again: struct };
  return [
    ['null', null],
    ['undefined', undefined],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['a class', Map],
    ['an array', [1, 2, 3]],
    ['a map', new Map()],
    ['a date', new Date(0)],
    ['a proxy that refuses', new Proxy({}, { get: () => undefined, has: () => false })],
    ['an unknown kind', { kind: 'nothing' }],
    ['a scalar without a scalar', { kind: 'scalar' }],
    ['a scalar of another language', { kind: 'scalar', scalar: 'float' }],
    ['a vector that is too wide', { kind: 'vector', element: 'f32', width: 64 }],
    ['a vector of a width that is none', { kind: 'vector', element: 'f32', width: NaN }],
    ['a pointer to nothing', { kind: 'pointer' }],
    ['a pointer to a pointer', { kind: 'pointer', element: { kind: 'pointer', element: f32 } }],
    ['a handle without fields', { kind: 'handle', handle: 'H' }],
    ['a handle with null for methods', { kind: 'handle', handle: 'H', fields: {}, methods: null }],
    ['a struct without fields', { kind: 'struct', struct: 'S' }],
    ['a struct that holds itself', struct],
    ['a module that holds itself', cycle],
    ['a module without members', { kind: 'deviceModule', name: 'm' }],
    ['a device function without a role', { kind: 'deviceFn', name: 'f', use: {}, body: () => 1 }],
    [
      'a device function with text for a body',
      { kind: 'deviceFn', name: 'f', use: {}, body: '1', role: { kind: 'inline' } },
    ],
    ['a device function without use', { kind: 'deviceFn', name: 'f', body: () => 1, role: { kind: 'inline' } }],
    ['an object of no class', Object.create(null)],
  ];
}

/** Codes of the diagnostics of a kernel made of these; `analyseKernel` must not throw. */
function codesOf(
  use: unknown,
  params: unknown,
  text = '({ odd }, { p, strange }) => { p[0] = 1; }',
): readonly string[] {
  return complaints(kernelFromText(text, { use: use as Use, params: params as ParamTypes })).map((line) =>
    line.slice(0, 5),
  );
}

describe('values from the host', () => {
  it.each(oddValues())('are refused as %s in use', (_name, value) => {
    expect(codesOf({ odd: value }, { p: ptr(f32), strange: u32 })).toContain('K1107');
  });

  it.each(oddValues())('are refused as %s in a module', (_name, value) => {
    const module = deviceModule('odd', { member: value as never });
    expect(codesOf({ odd: module }, { p: ptr(f32), strange: u32 })).toContain('K1107');
  });

  it.each(oddValues())('are refused as %s for the type of a parameter', (_name, value) => {
    expect(codesOf({ odd: 1 }, { p: ptr(f32), strange: value })).toContain('K1109');
  });

  it('pass on the error of a getter', () => {
    const odd = {
      kind: 'scalar',
      get scalar(): never {
        throw new Error('this getter throws');
      },
    };
    expect(() => codesOf({ odd }, { p: ptr(f32), strange: u32 })).toThrow('this getter throws');
  });

  it('may be numbers of every kind as constants', () => {
    const text = '({ odd, f32, print }, { p, strange }) => { p[0] = f32(odd); print(odd); }';
    for (const odd of [0, -0, NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER, 5n, -(2n ** 63n), true]) {
      expect(codesOf({ odd }, { p: ptr(f32), strange: u32 }, text)).toEqual([]);
    }
  });

  it.for(slow)('may have any names', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const use: Use = { [`${a}x`]: 4 };
        const params: ParamTypes = { [b]: u32, p: ptr(f32) };
        expect(codesOf(use, params, '({}, { p }) => { p[0] = 1; }').filter((code) => code !== 'K1108')).toEqual([]);
      }),
      { seed: 1, numRuns: runs(200) },
    );
  });

  it.for(slow)('never make the compiler throw, whatever their shape', () => {
    const value = fc.object({
      key: fc.constantFrom('kind', 'scalar', 'fields', 'members', 'name', 'use', 'role', 'body', 'element', 'x'),
      maxDepth: 3,
    });
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(codesOf({ odd: a }, { p: ptr(f32), strange: b })).toEqual(expect.arrayContaining(['K1107', 'K1109']));
      }),
      { seed: 2, numRuns: runs(300) },
    );
  });

  it('are reported at the call if a device function names something unknown', () => {
    const broken = deviceFn({ name: 'broken', use: { gone: null as never } }, (_context, x: number) => x);
    expect(
      codesOf({ odd: broken }, { p: ptr(f32), strange: u32 }, '({ odd }, { p, strange }) => { odd(strange); }'),
    ).toEqual(['K1107']);
  });

  it('for a struct parameter follow the order of its fields', () => {
    const inner = structParam({ struct: 'Inner', fields: { b: u32, a: f32 } });
    const outer = structParam({ struct: 'Outer', fields: { first: u32, inner, last: ptr(f32) } });
    const result = analyseKernel(
      kernelFromText('({}, { s }) => { s.last[s.first] = s.inner.a; }', { params: { s: outer } }),
    );
    expect(result.ok && result.module.params.map(({ name }) => name)).toEqual([
      's.first',
      's.inner.b',
      's.inner.a',
      's.last',
    ]);
  });
});

describe('kernel()', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'object'],
    [{ name: '' }, '""'],
    [{ name: 4 }, '4'],
    [{}, 'undefined'],
  ])('refuses the definition %j', (definition, given) => {
    let error: unknown;
    try {
      kernel(definition as never, () => undefined);
    } catch (caught) {
      error = caught;
    }
    expect(isNcclError(error, 'NCCL_INVALID_ARGUMENT')).toBe(true);
    expect(error).toMatchObject({ message: expect.stringContaining(given) as string });
  });

  it('refuses a body that is not a function', () => {
    expect(() => kernel({ name: 'k' }, 'text' as never)).toThrow('the body must be a function; given string');
  });

  it.for(slow)('keeps its module, and throws the errors of analyseKernel', () => {
    const right = kernel({ name: 'right', params: { p: ptr(f32) } }, (_context, { p }) => {
      p[0] = 1;
    });
    expect(right.compile()).toBe(right.compile());
    const wrong = kernelFromText('({}, { p }) => { p[0] = x; q; }', { name: 'wrong', params: { p: ptr(f32) } });
    expect(() => wrong.compile()).toThrow(
      /kernel 'wrong' does not compile: 2 errors[^]*error\[K1005\]: 'x'[^]*error\[K1005\]: 'q'/,
    );
  });

  it('does no work before the first use', () => {
    const lazy = kernelFromText('({}, {}) => { nothing(); }');
    expect(Object.isFrozen(lazy)).toBe(true);
    expect(lazy.site.stack).toContain('host-values');
  });

  it('copies use and params, so later changes have no effect', () => {
    const use: Record<string, number> = { N: 4 };
    const made = kernelFromText('({ N }, { q }) => { q[0] = N; }', { use, params: { q: ptr(u32) } });
    use['N'] = 5;
    expect(made.use).toEqual({ N: 4 });
  });
});

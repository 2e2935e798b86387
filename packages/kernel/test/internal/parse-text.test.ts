import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'acorn';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseText } from '../../src/syntax/parse-text.ts';
import { TextError } from '../../src/syntax/token-cursor.ts';

/** acorn's tree of a text; `undefined` if acorn does not take it. */
function acornTree(text: string): unknown {
  try {
    const [statement, ...others] = parse(text, { ecmaVersion: 'latest' }).body;
    return statement?.type === 'ExpressionStatement' && others.length === 0 ? plain(statement.expression) : undefined;
  } catch {
    return undefined;
  }
}

/** A tree of plain objects. acorn also marks directives, which kernels do not have. */
function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain);
  if (typeof node !== 'object' || node === null || node instanceof RegExp) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== 'directive')
      .map(([key, value]) => [key, plain(value)]),
  );
}

const expressions = [
  'a ? b : c ? d : e',
  'a = b += c **= d ** e ** f',
  '(a ?? b) || c && d | e ^ f & g == h < i << j + k * l',
  '(-a) ** b, typeof void delete !~+a, ++a, a--',
  'a in b instanceof c, a !== b === c',
  '(a, b), (a), ((a)) + (b)',
  'a.b["c"][d](e, ...f)`g${h}i`?.j?.[k]?.(l).m',
  '(a?.b).c, (a?.b)()',
  'new a, new a.b(c), new (a())(b), new new a()()',
  'a?.5:b, a?.b, .5.toFixed, 1..toFixed, 1.5e-3, 0x1F_FF, 0b11n, 0o17, 10n, 0x1fn, 017, 1_000',
  String.raw`'\x41\u0042\u{43}\n\'\0\
d' + "\101" + "\u2028"`,
  // eslint-disable-next-line no-template-curly-in-string -- a text of JavaScript
  '`a${`b${c}`}\\u0041$d${{ e: `}` }.e}`, f`\\u`, g`\\8`',
  String.raw`/[/\]]\/+/giu.test(a) / b / /c/.d, a /= /=/`,
  '[a, , ...b, ], [,], []',
  '({ a, b: c, "d": e, 1: f, [g]: h, i() {}, get j() { return 1 }, set k(l) {}, async m() {}, *n() {}, async *o() {}, ...p })',
  '({ get: 1, set: 2, async: 3, get, set, async, get() {}, set() {}, async() {}, static: 4, if: 5 })',
  '[a, b] = [b, a], { c, d: [e = 1], ...f } = g, [h.i, j[k]] = l, ({ m = 1 } = {})',
  '() => {}, a => b, (a, b) => c, (a, ...b) => ({ c }), ({ a = 1, b: [c] = [] }, d = 2,) => d',
  'async () => await a, async a => a, async (a, b) => { await b }, async(a), async, async.b',
  'function () {}, function a(b = 1, { c }, ...d) {}, function* () { yield; yield a; yield* b }',
  'async function () { for await (const a of b) await a }, async function* a() { yield await b }',
  'class {}, class a extends b.c { static #d = 1; e; "f" = 2; [g]() {} constructor() { super(); super.h } get i() {} static async *j() {} static { k } static static; #l() { return #d in this } }',
  'import("a"), import("a", b), yield, let, of',
  'a // b\n + /* c */ d',
  String.raw`\u0061b + $\u{62} + ünï`,
];

const statements = [
  'if (a) b; else if (c) { d } else e',
  'for (;;) break; for (let a = 0, b = 1; a < b; a++) continue; for (a = ("b" in c) ? 1 : 2; ; ) {}',
  'for (const a of b) c; for (var [a, b] in c) d; for ({ a } of b) c; for (a.b in c) d; for (let of = 0; ; ) {}',
  'while (a) b; do c; while (d) do { e } while (f); g',
  'a: for (;;) { b: while (c) { continue a } break a }',
  'switch (a) { case 1: case b: c; break; default: d } switch (e) {}',
  'try { a } catch { b } try { a } catch ({ b }) { c } finally { d }',
  'var a, b = 1; let c = 2, { d } = e; const [f] = g\nlet\nh\nvar i',
  'return\na\n++b\nc\n;[d].e',
  'throw new.target; debugger; with (a) b; ; {}',
  'function a() {} function* b() {} async function c() {} async\nfunction d() {} class e {}',
  'let = 1; let.a; async = 2; using = 3; using\na; using(b)',
  '"use strict"; a',
  'x => {}\n(a)',
  'yield\na; await\nb',
];

const nodeModules = createRequire(import.meta.url);

describe('the parser of kernels', () => {
  it.each(expressions)("makes acorn's tree of %j", (text) => {
    expect(acornTree(`(${text})`)).toBeDefined();
    expect(matches(`(${text})`)).toBe(true);
  });

  it.each(statements)("makes acorn's tree of the statements %j", (text) => {
    expect(acornTree(`(function () { ${text} })`)).toBeDefined();
    expect(matches(`(function () { ${text} })`)).toBe(true);
    expect(matches(`({ async *body() { ${text} } })`)).toBe(true);
  });

  it.each(['acorn', 'fast-check'])("makes acorn's tree of all of %s", (name) => {
    const text = `(function () {${readFileSync(nodeModules.resolve(name), 'utf8')}\n})`;
    expect(acornTree(text)).toBeDefined();
    expect(matches(text)).toBe(true);
  });

  it("makes acorn's tree of any text that acorn takes, and refuses others at an offset", () => {
    const words = [...new Set([...expressions, ...statements].flatMap((text) => text.split(/(?<=\W)|(?=\W)/)))];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => `(() => {${parts.join('')}})`);
    fc.assert(
      fc.property(text, (one) => matches(one)),
      { seed: 1, numRuns: 5000 },
    );
  });

  it.each([
    ['', 0],
    ['(', 1],
    ['a b', 2],
    ['({ a = 1 })', 3],
    ['(a, )', 5],
    ['() => { a b }', 10],
    ['f() = 1', 0],
    ["'a", 0],
    ['`a${b', 5],
    ['/a', 0],
    ['a @ b', 2],
    ['({ get a: 1 })', 8],
    ['var', 0],
  ])('refuses %j at offset %i', (text, offset) => {
    expect(() => parseText(text)).toThrow(expect.objectContaining({ offset }));
  });
});

/** True if both parsers make one tree of a text, or acorn does not take it. */
function matches(text: string): boolean {
  const expected = acornTree(text);
  try {
    const tree = plain(parseText(text));
    if (expected !== undefined) expect(tree).toEqual(expected);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    expect(expected, `${text}: ${error.message} at ${error.offset}`).toBeUndefined();
    expect(error.offset).toBeLessThanOrEqual(text.length);
  }
  return true;
}

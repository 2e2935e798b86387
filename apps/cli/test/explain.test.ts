import { errorCodes } from '@nccl-ts/core';
import { devComm, window } from '@nccl-ts/devcomm';
import { findingKinds } from '@nccl-ts/findings';
import { analyseKernel, bool, f32, kernel, ptr, u32, u8, i32, vec, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../src/command-line.ts';
import { codeGroups, explanationOf } from '../src/explain/explanations.ts';
import { codesPage } from '../src/explain/explain-text.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const params = {
  comm: devComm,
  win: window,
  p: ptr(f32),
  q: ptr(u32),
  bytes: ptr(u8),
  n: u32,
  i: i32,
  x: f32,
  flag: bool,
  v: vec(f32, 4),
};

const use = { lsa, limit: 4 };

const builtins =
  'threadIdx blockIdx coopCta coopAny coopTile coopWarpSpan f32 f16 bf16 f64 i32 u32 u64 u8 bool vec lane localArray sharedArray unroll waitUntil print assert min math bitcast shfl fence'.split(
    ' ',
  );

/**
 * An example is a whole function, or some lines of one. In that case the test supplies the names
 * that it uses.
 */
function textOf(example: string): string {
  if (/^(async )?\(\{|^function|^class Wrong/.test(example)) return example;
  const words = new Set(example.match(/\w+/g));
  const taken = (names: readonly string[]): string => names.filter((name) => words.has(name)).join(', ');
  const first = taken([...builtins, ...Object.keys(use)]);
  return `({ ${first} }, { ${taken(Object.keys(params))} }) => {\n${example}\n}`;
}

/**
 * Returns the codes for a kernel with this text, which this engine need not be able to parse,
 * because capture takes texts from `toString`.
 */
function codesOf(text: string): readonly string[] {
  const body = (): void => undefined;
  const of: Kernel = kernel({ name: 'example', use, params }, body);
  const original = Reflect.get(Function.prototype, 'toString');
  vi.spyOn(Function.prototype, 'toString').mockImplementation(function (this: unknown) {
    return this === body ? text : Reflect.apply(original, this, []);
  });
  const result = analyseKernel(of);
  vi.restoreAllMocks();
  return result.ok ? [] : [...new Set(result.diagnostics.map(({ code }) => code))];
}

/**
 * The explanations whose example is a single kernel. Others need more than one kernel, or describe
 * an event.
 */
const examples = codeGroups
  .flatMap(({ codes }) => [...codes])
  .flatMap(([code, { example, instead }]) =>
    /^K(10|11|20|31)/.test(code) && example !== undefined && !/^(kernel|deviceSession|A)\b/.test(example)
      ? [{ code, example, instead }]
      : [],
  );

describe('examples of codes', () => {
  test('exist for most codes of the language', () => {
    expect(examples.length).toBeGreaterThan(85);
  });

  test.for(examples)('for $code report this code, and their fixed versions compile', ({ code, example, instead }) => {
    expect(codesOf(textOf(example))).toContain(code);
    if (instead !== undefined) expect(codesOf(textOf(instead))).toEqual([]);
  });
});

test('every code has an explanation in sentences', () => {
  const all = codeGroups.flatMap(({ codes }) => [...codes]);
  const names = all.map(([code]) => code);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(errorCodes), ...Object.keys(findingKinds)]));
  for (const [code, { title, meaning, fix }] of all) {
    expect(`${code}: ${title}`).not.toMatch(/\.$/);
    for (const text of [meaning, fix]) expect(`${code}: ${text}`).toMatch(/: [^\s].*[.:?\w]$/s);
    expect(explanationOf(code.toLowerCase())?.[0]).toBe(code);
  }
});

test('the reference page equals the output of nccl-ts explain --markdown', async () => {
  await expect(codesPage(codeGroups)).toMatchFileSnapshot('../../../docs/reference/codes.md');
});

test.for<readonly [string, 0 | 2, RegExp]>([
  ['explain K1005', 0, /^K1005: a name is not defined inside the kernel\n\nThe body of a kernel is never called/],
  ['explain ncclts_closed', 0, /^NCCLTS_CLOSED: .*\n\n[^]*For example:[^]*To fix it:/],
  ['explain race/acquire', 0, /flag\.load\(0, 'acquire', 'system'\)/],
  ['explain', 0, /^Errors\n {2}NCCL_UNHANDLED_CUDA_ERROR [^]*\n {2}P5002 /],
  ['explain K9999', 2, /^error: there is no code K9999; nccl-ts explain lists those that there are\n$/],
])('explain %s prints its entry', async ([line, code, text]) => {
  let written = '';
  const write = (part: string | Uint8Array): boolean => Boolean((written += String(part)));
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  const exit = await runCommandLine(['node', 'nccl-ts', ...line.split(' ')]);
  vi.restoreAllMocks();
  expect(written).toMatch(text);
  expect(exit).toBe(code);
});

import { runInThisContext } from 'node:vm';
import { afterEach, expect, inject, test } from 'vitest';
import { analyseKernel, hostCallLocation, kernel, provideAuthorText, stackLocation } from '@nccl-ts/kernel';
import { renderDiagnostics } from '@nccl-ts/ir';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const ran = 'const x         = 1;\nconst body = ({ f32 }, {}) => {\n  const y         = Math.max(1, 2);\n}';
const author = 'const x: number = 1;\nconst body = ({ f32 }, {}) => {\n  const y: number = Math.max(1, 2);\n}';
let provided: Disposable | undefined;
afterEach(() => provided?.[Symbol.dispose]());

function reported(): string {
  // A function that no file has, as in a page that makes modules of texts.
  const body = runInThisContext(`(${ran.slice(ran.indexOf('({ f32'))})`) as () => void;
  const result = analyseKernel(kernel({ name: 'k' }, body));
  return result.ok ? '' : renderDiagnostics(result.diagnostics, result.sources);
}

test('a report names the line of a text that was provided', () => {
  provided = provideAuthorText({ file: 'page.ts', ran, author });
  expect(reported()).toContain('page.ts:3:21');
  expect(reported()).toContain('const y: number = Math.max(1, 2);');
});

test.for(slow)('a text that was disposed of is not consulted', () => {
  provideAuthorText({ file: 'page.ts', ran, author })[Symbol.dispose]();
  expect(reported()).not.toContain('page.ts');
});

test.for(slow)('a function whose text occurs twice has no position', () => {
  provided = provideAuthorText({ file: 'page.ts', ran: `${ran}\n${ran}` });
  expect(reported()).not.toContain('page.ts');
});

test('texts that differ in more than white space are refused', () => {
  expect(() => provideAuthorText({ file: 'page.ts', ran: 'let a', author: 'let b' })).toThrow(
    'it differs from the running text in more than white space, at offset 4',
  );
});

const url = 'blob:http://page/1';
const host = 'import x from "y";\nasync function host(win        ) {\n  return await win.read();\n}';
const authors = 'import x from "y";\nasync function host(win: Window) {\n  return await win.read();\n}';
const read = { file: 'page.ts', line: 3, column: 16, text: '  return await win.read();' };

test('a call of a host program has the line of a text that was provided with its URL', () => {
  provided = provideAuthorText({ file: 'page.ts', ran: host, author: authors, url });
  const run = runInThisContext(`(${host.slice(host.indexOf('async'))})`, { filename: url, lineOffset: 1 }) as (
    win: object,
  ) => Promise<unknown>;
  const seen: unknown[] = [];
  void run({ read: () => seen.push(hostCallLocation()) });
  expect(seen).toEqual([read]);
});

test.for([
  ['V8', `Error\n    at Object.read (http://page/a.js:1:2)\n    at host (${url}:3:20)`],
  ['V8 in a function that waits', `Error\n    at async host (${url}:3:10)`],
  ['SpiderMonkey', `read@http://page/a.js:1:2\nhost@${url}:3:20`],
  ['JavaScriptCore', `read@http://page/a.js:1:2\nhost@${url}:3:24`],
])('a stack of %s leads to the start of what is called', ([, stack]) => {
  provided = provideAuthorText({ file: 'page.ts', ran: host, author: authors, url });
  expect(stackLocation(stack)).toEqual(read);
});

test('a stack has no position in a text without a URL, and in no other text', () => {
  provided = provideAuthorText({ file: 'page.ts', ran: host });
  expect(stackLocation(`host@${url}:3:20`)).toBeUndefined();
  provided = provideAuthorText({ file: 'page.ts', ran: host, url });
  expect(stackLocation(`host@${url}2:3:20`)).toBeUndefined();
});

import { runInThisContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { analyseKernel, kernel, provideAuthorText } from '@nccl-ts/kernel';
import { renderDiagnostics } from '@nccl-ts/ir';

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

test('a text that was disposed of is not consulted', () => {
  provideAuthorText({ file: 'page.ts', ran, author })[Symbol.dispose]();
  expect(reported()).not.toContain('page.ts');
});

test('a function whose text occurs twice has no position', () => {
  provided = provideAuthorText({ file: 'page.ts', ran: `${ran}\n${ran}` });
  expect(reported()).not.toContain('page.ts');
});

test('texts that differ in more than white space are refused', () => {
  expect(() => provideAuthorText({ file: 'page.ts', ran: 'let a', author: 'let b' })).toThrow(
    'it differs from the running text in more than white space, at offset 4',
  );
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, fixtures, ncclTs } from './support/command.ts';

// The machine may be busy.
const timeout = 60_000;

const kernelOf = (name: string, value: string): string =>
  `import { window, type DevComm } from '@nccl-ts/devcomm';
   import { kernel } from '@nccl-ts/kernel';
   import { lsa } from '@nccl-ts/lsa';
   ${value}
   export const ${name} = kernel(
     { name: '${name}', use: { lsa, seven }, params: { win: window } },
     ({ lsa, threadIdx, f32, seven }, { win }) => { lsa.localPointer(win, f32, 0)[threadIdx.x] = f32(seven); },
   );
   export type Comm = DevComm;`;

/** Files by their paths in a project whose package.json is the first one. */
type Files = Readonly<Record<string, string>>;

const projects: string[] = [];

function project(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-typescript-'));
  projects.push(folder);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(fixtures, '../../node_modules/@nccl-ts'), join(folder, 'node_modules/@nccl-ts'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

beforeAll(build, timeout);
afterAll(() => {
  for (const folder of projects) rmSync(folder, { recursive: true, force: true });
});

const ways: readonly (readonly [name: string, file: string, files: Files])[] = [
  [
    'an import that only names a type without saying so',
    'fill.ts',
    {
      'package.json': '{ "type": "module" }',
      'types.ts': 'export interface Seven { readonly value: 7 }',
      'fill.ts': kernelOf('fill', "import { Seven } from './types.ts'; const seven: Seven['value'] = 7;"),
    },
  ],
  [
    'an enum, in a project of CommonJS',
    'fill.ts',
    {
      'package.json': '{ "type": "commonjs" }',
      'fill.ts': kernelOf('fill', 'enum Value { Seven = 7 } const seven = Value.Seven;'),
    },
  ],
  [
    'paths of the output, without an ending and of a folder',
    'fill.ts',
    {
      'package.json': '{}',
      'a.ts': 'export const a: number = 1;',
      'a.js': 'export const a = 100;',
      'b.ts': 'export const b: number = 2;',
      'c/index.ts': 'export const c: number = 4;',
      'fill.ts': kernelOf(
        'fill',
        "import { a } from './a.js'; import { b } from './b'; import { c } from './c'; const seven = a + b + c;",
      ),
    },
  ],
  [
    'paths of tsconfig.json and JSON',
    'fill.ts',
    {
      'package.json': '{}',
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'src/three.ts': 'export const three: number = 3;',
      'four.json': '{ "four": 4 }',
      'fill.ts': kernelOf(
        'fill',
        "import { three } from '@/three'; import four from './four.json'; const seven = three + four.four;",
      ),
    },
  ],
  [
    'await using',
    'fill.ts',
    {
      'package.json': '{}',
      'fill.ts': kernelOf(
        'fill',
        'let seven = 0; { await using one = { [Symbol.asyncDispose]: async () => { seven += 4; } }; seven += 3; }',
      ),
    },
  ],
  [
    'CommonJS that requires modules and other files of TypeScript',
    'fill.cjs',
    {
      'package.json': '{}',
      'kernel.ts': kernelOf('fill', 'const seven: number = 7;'),
      'seven.cts': 'const value: number = 7; export = { seven: value };',
      'fill.cjs':
        "const { seven } = require('./seven.cts'); if (seven !== 7) throw new Error('no seven'); module.exports = require('./kernel.ts');",
    },
  ],
];

describe('a module may have', () => {
  test.concurrent.for(ways)('%s', { timeout }, async ([, file, files], { expect }) => {
    const { code, stdout, stderr } = await ncclTs(`run ${file} -n 1 -g 1 -b 4 --bytes 16`.split(' '), project(files));
    expect(stderr).toBe('');
    expect(stdout).toContain('rank 0: win sum 28  [7, 7, 7, 7, ...]');
    expect(code).toBe(0);
  });
});

test('an error of syntax names the file, the line and the column', { timeout }, async () => {
  const folder = project({ 'package.json': '{}', 'bad.ts': 'const a: = 1;\n' });
  const { code, stderr } = await ncclTs(['check', 'bad.ts'], folder);
  expect(stderr).toBe('error: SyntaxError: Unexpected token at bad.ts:1:10\n');
  expect(code).toBe(1);
});

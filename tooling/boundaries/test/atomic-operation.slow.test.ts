import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-atomic-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The emitters that compute it by `atomicMeaning` need no row of their own. */
const inIR = ['packages/ir/src/atomic-meaning.ts', 'packages/ir/src/fidelity.ts'];

/** The files outside the IR that have a table with a row for each atomic operation. */
const tables = [
  'packages/backend-cuda/src/emit-cuda/emit-statement.ts',
  'packages/kernel/src/author/atomic-method.ts',
  'packages/kernel/src/diagnose/usage.ts',
  'packages/kernel/src/lower/memory.ts',
];

/** Declarations of the globals that these files use. */
const globals = [
  'tooling/tsconfig/universal.d.ts',
  'packages/backend-webgpu/node_modules/@webgpu/types/dist/index.d.ts',
];

/** The files with errors if the IR has these atomic operations. */
function brokenBy(operations: string): readonly string[] {
  const ir = join(folder, 'ir');
  cpSync(join(root, 'packages/ir/src'), ir, { recursive: true });
  const statement = join(ir, 'statement.ts');
  const before = readFileSync(statement, 'utf8');
  const after = before.replace("export type AtomicOp = 'add'", `export type AtomicOp = ${operations}`);
  expect(after).toContain(`export type AtomicOp = ${operations} |`);
  writeFileSync(statement, after);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const config = join(folder, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tooling/tsconfig/base.json'),
      compilerOptions: {
        composite: false,
        declarationMap: false,
        noEmit: true,
        rootDir: '/',
        tsBuildInfoFile: null,
        paths: {
          '@nccl-ts/ir': [join(ir, 'index.ts')],
          '@nccl-ts/core': [join(root, 'packages/core/src/index.ts')],
        },
      },
      files: [join(ir, 'index.ts'), ...[...globals, ...tables].map((file) => join(root, file))],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: root,
  });
  // An error without a file: the configuration is wrong, such as by a file that has moved.
  expect(stdout).not.toMatch(/^error /m);
  const files = [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error /gm)].map(([, file = '']) => {
    const path = relative(root, join(root, file));
    return inIR.find((one) => path.endsWith(one.replace('packages/ir/src', '/ir'))) ?? path;
  });
  return [...new Set(files)].toSorted();
}

test('a new atomic operation fails to compile in every table that lacks it, the front end included', () => {
  expect(brokenBy("'add'")).toEqual([]);
  const broken = brokenBy("'wrap' | 'add'");
  expect(broken).toEqual(expect.arrayContaining([...tables, ...inIR]));
});

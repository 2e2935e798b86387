import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { mistakes, ringAllGather, withMistake } from './support/programs.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-mistakes-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The programs in which the compiler of TypeScript finds an error, by their numbers. */
async function withTypeErrors(programs: readonly string[]): Promise<ReadonlySet<number>> {
  programs.forEach((text, index) => {
    writeFileSync(join(folder, `program-${index}.ts`), text);
  });
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    customConditions: ['@nccl-ts/source'],
    paths: { 'nccl-ts': [join(root, 'packages/nccl-ts/src/index.ts')] },
  };
  const universal = join(root, 'tooling/tsconfig/universal.d.ts');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', universal] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const text = await promisify(execFile)(process.execPath, [compiler, '-p', folder], { maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    (error: unknown) => String(Reflect.get(Object(error), 'stdout')),
  );
  return new Set(
    [...text.matchAll(/^(?:.*\/)?program-(\d+)\.ts\(\d+,\d+\): error/gm)].map(([, index]) => Number(index)),
  );
}

describe('the mistakes of a newcomer', () => {
  it('are found by the types as the table says', async () => {
    const wrong = await withTypeErrors([ringAllGather, ...mistakes.map(withMistake)]);
    expect(wrong.has(0)).toBe(false);
    const found = mistakes.filter((_, index) => wrong.has(index + 1)).map(({ name }) => name);
    expect(found).toEqual(mistakes.filter(({ finders }) => finders.includes('types')).map(({ name }) => name));
  });
});

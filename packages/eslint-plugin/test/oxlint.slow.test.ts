import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mistakes, ringAllGather, withMistake } from './support/programs.ts';

const root = resolve(import.meta.dirname, '../../..');
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nccl-ts-oxlint-'));
  await build({
    entryPoints: [join(import.meta.dirname, '../src/index.ts')],
    outfile: join(folder, 'plugin.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@nccl-ts/source'],
  });
  const rules = { '@nccl-ts/kernel': 'error', '@nccl-ts/launch': 'error', '@nccl-ts/uniform-sync': 'error' };
  const config = { jsPlugins: ['./plugin.mjs'], categories: { correctness: 'off' }, rules };
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function oxlint(...words: readonly string[]): Promise<string> {
  const command = join(root, 'node_modules/oxlint/bin/oxlint');
  const run = promisify(execFile)(process.execPath, [command, ...words], { cwd: folder });
  return run.then(
    ({ stdout }) => stdout,
    (error: unknown) => String(Reflect.get(Object(error), 'stdout')),
  );
}

it('oxlint shows the findings of the plugin in TypeScript, and makes its edits', async () => {
  const wrong = mistakes.find(({ name }) => name === 'Math.min');
  if (wrong === undefined) throw new Error('there is no such mistake');
  writeFileSync(join(folder, 'wrong.ts'), withMistake(wrong));
  writeFileSync(join(folder, 'right.ts'), ringAllGather);
  const text = await oxlint('--format=unix', 'wrong.ts', 'right.ts');
  expect(text).toMatch(/wrong\.ts:23:20: K1008/);
  expect(text).not.toContain('right.ts');
  await oxlint('--fix', 'wrong.ts');
  expect(readFileSync(join(folder, 'wrong.ts'), 'utf8')).toContain('const base = min(u32(block), 3) * chunk;');
  // The edit uses a name that the next one takes. oxlint makes one round of edits.
  await oxlint('--fix', 'wrong.ts');
  expect(await oxlint('--format=unix', 'wrong.ts', 'right.ts')).not.toContain('K1');
});

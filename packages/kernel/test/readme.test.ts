import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kernelPackage from '@nccl-ts/kernel';
import { analyseKernel, type Kernel } from '@nccl-ts/kernel';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const examples = [...readme.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code);

/** The kernels that a code block exports. */
function kernelsIn(code: string): readonly Kernel[] {
  const plain = transformSync(code.replaceAll(/^import .*\n/gm, ''), { loader: 'ts', format: 'cjs' }).code;
  const exported: { exports: Record<string, unknown> } = { exports: {} };
  const names = Object.keys(kernelPackage);
  // oxlint-disable-next-line no-new-func, no-implied-eval
  const run = new Function('module', ...names, plain) as (...values: unknown[]) => void;
  run(exported, ...names.map((name) => (kernelPackage as Record<string, unknown>)[name]));
  return Object.values(exported.exports) as readonly Kernel[];
}

it.each(examples.map((code, index) => [index, code] as const))('example %i of the README compiles', (_index, code) => {
  const kernels = kernelsIn(code);
  expect(kernels).toHaveLength(1);
  for (const kernel of kernels) expect(analyseKernel(kernel)).toMatchObject({ ok: true });
});

it('names every built-in', () => {
  const declared = readFileSync(join(import.meta.dirname, '../src/author/builtins.ts'), 'utf8');
  const context = declared.slice(declared.indexOf('export interface Builtins'));
  const names = [...context.matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([]);
});

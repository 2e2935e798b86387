import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as devcommPackage from '@nccl-ts/devcomm';
import * as kernelPackage from '@nccl-ts/kernel';
import { analyseKernel, type Kernel } from '@nccl-ts/kernel';
import * as barrierPackage from '@nccl-ts/barrier';
import * as ginPackage from '@nccl-ts/gin';
import * as lsaPackage from '@nccl-ts/lsa';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';

// The module `barrier` comes last: `gin` exports a function of that name.
const names: Readonly<Record<string, unknown>> = {
  ...kernelPackage,
  ...devcommPackage,
  ...lsaPackage,
  ...ginPackage,
  ...barrierPackage,
};

/** The first code block of a README, which exports one kernel. */
function exampleOf(readme: string): Pick<Kernel, 'name' | 'use' | 'params' | 'body'> {
  const text = readFileSync(join(import.meta.dirname, readme), 'utf8');
  const code = /^```ts\n([^]*?)^```/m.exec(text)?.[1] ?? '';
  const plain = transformSync(code.replaceAll(/^import .*\n/gm, ''), { loader: 'ts', format: 'cjs' }).code;
  const exported: { exports: Record<string, unknown> } = { exports: {} };
  // oxlint-disable-next-line no-new-func, no-implied-eval
  const run = new Function('module', ...Object.keys(names), plain) as (...values: unknown[]) => void;
  run(exported, ...Object.values(names));
  return Object.values(exported.exports)[0] as Kernel;
}

it('the example of the README compiles', () => {
  const result = analyseKernel(exampleOf('../README.md'));
  expect(result.ok ? [] : result.diagnostics).toEqual([]);
});

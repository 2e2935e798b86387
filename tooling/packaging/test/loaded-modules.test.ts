import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';
import { runBundled } from './support/run-bundled.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The sources that a program loads before it opens a world. Later imports are left out.
 *
 * @param member has the packages that the program imports
 */
async function loadedBy(program: string, member = 'packages/nccl-ts'): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: join(root, member), loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@nccl-ts/source'],
    plugins: [
      {
        name: 'later',
        setup: (plugin) => {
          plugin.onResolve({ filter: /.*/ }, ({ kind, path }) =>
            kind === 'dynamic-import' ? { path, external: true } : undefined,
          );
        },
      },
    ],
  });
  return Object.keys(metafile.inputs)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => relative(root, join(root, path)));
}

it('a program that only runs kernels loads no check, no prediction and no collectives without kernels', async () => {
  const loaded = await loadedBy("import { sim } from '@nccl-ts/backend-sim'; console.log(sim);");
  const rooms = new Set(loaded.map((path) => path.split('/').slice(0, 2).join('/')));
  for (const room of ['checker', 'prediction', 'memory-model', 'cpu-collectives', 'timeline'])
    expect(rooms).not.toContain(`packages/${room}`);
  const instruments = /backend-sim\/src\/check\/checker|codegen\/src\/emit-wasm|cost-model\/src\/trace/;
  expect(loaded.filter((path) => instruments.test(path))).toEqual([]);
  expect(rooms).toContain('packages/codegen');
  // Before the simulator was split, these were 665.
  expect(loaded.length).toBeLessThan(0.8 * 665);
});

it('a program with one GPU loads nothing of WebGPU on several devices', async () => {
  const program = "import { webgpu } from '@nccl-ts/backend-webgpu'; console.log(webgpu);";
  const loaded = await loadedBy(program, 'tooling/fences');
  expect(loaded).toContain('packages/backend-webgpu/src/webgpu-backend.ts');
  expect(loaded.filter((path) => path.startsWith('packages/webgpu-distributed/'))).toEqual([]);
});

describe.for(slow)('a bundled program with collectives', () => {
  it('contains the package that performs them without kernels', async () => {
    const { stdout, stderr } = await runBundled([]);
    expect(stdout).toBe('[[6],[6],[6]]');
    expect(stderr).toBe('');
  });
});

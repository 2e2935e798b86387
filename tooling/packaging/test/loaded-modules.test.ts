import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The sources that a program loads before it opens a world. What is imported later is left out. */
async function loadedBy(program: string): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: join(root, 'packages/nccl-ts'), loader: 'ts' },
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

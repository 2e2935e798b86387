import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

import { transform } from 'esbuild';
import { rollup, type OutputPlugin, type Plugin, type RollupBuild } from 'rollup';
import { minify } from 'terser';

import { matrixProgram, member, root, sourceCondition, type Pipeline, type PipelineInput } from './pipeline.ts';

/** A typical choice of plugins: packages by name, TypeScript without its types. */
export function typescriptPackages(): Plugin {
  return {
    name: 'typescript-packages',
    async resolveId(specifier, importer) {
      if (specifier.startsWith('.') && importer !== undefined) return resolve(dirname(importer), specifier);
      const [, own, subpath = ''] = /^@nccl-ts\/([^/]+)(\/.+)?$/.exec(specifier) ?? [];
      if (own !== undefined) return packageFile(join(root, 'packages', own), `.${subpath}`, sourceCondition);
      if (specifier === 'acorn') return packageFile(join(root, 'packages/kernel/node_modules/acorn'), '.', 'import');
      return null;
    },
    async load(id) {
      if (!id.endsWith('.ts')) return null;
      return transform(await readFile(id, 'utf8'), { loader: 'ts', target: 'node20', sourcemap: true, sourcefile: id });
    },
  };
}

/** The file to which an entry of a package resolves under a condition. */
async function packageFile(folder: string, entry: string, condition: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const found = fileUnder(member(member(manifest, 'exports'), entry), condition);
  if (found === undefined) throw new Error(`${folder} has no entry ${entry} under the condition ${condition}`);
  return join(folder, found);
}

/** Conditions may be in a list of alternatives, and may be nested. */
function fileUnder(target: unknown, condition: string): string | undefined {
  if (Array.isArray(target)) return fileUnder(target[0], condition);
  const chosen = member(target, condition) ?? member(target, 'default') ?? target;
  return typeof chosen === 'string' ? chosen : chosen === target ? undefined : fileUnder(chosen, condition);
}

const graphs = new Map<PipelineInput, Promise<RollupBuild>>();

/** The program's modules, which are read once for all builds. */
async function programGraph(program: PipelineInput): Promise<RollupBuild> {
  const known = graphs.get(program);
  if (known !== undefined) return known;
  const graph = rollup({
    input: program.entry,
    plugins: [typescriptPackages()],
    external: /^node:/,
    onwarn: (warning) => {
      if (warning.code !== 'CIRCULAR_DEPENDENCY') throw new Error(warning.message);
    },
  });
  graphs.set(program, graph);
  return graph;
}

const KERNELS = 'kernels';

/**
 * True if a module may have kernels or device functions. terser does not minify other modules,
 * because it takes ten times as long as other minifiers.
 */
function isAboutKernels(id: string): boolean {
  const [, own] = /packages\/([^/]+)\//.exec(relative(root, id)) ?? [];
  if (own === undefined) return id.includes('/src/kernels/');
  return ![
    'backend-sim',
    'communicator',
    'core',
    'findings',
    'ir',
    'kernel',
    'memory-model',
    'timeline',
    'transport',
  ].includes(own);
}

function bundle(name: string, plugins: readonly OutputPlugin[]): Pipeline {
  return {
    name,
    build: async (out, program) => {
      const made = await programGraph(program);
      await made.write({
        dir: out,
        format: 'esm',
        sourcemap: true,
        entryFileNames: 'bundle.mjs',
        chunkFileNames: '[name].mjs',
        // In the library, modules with and without kernels import each other.
        ...(program === matrixProgram && {
          onlyExplicitManualChunks: true,
          manualChunks: (id: string) => (isAboutKernels(id) ? KERNELS : undefined),
        }),
        plugins: [...plugins],
      });
      return [join(out, 'bundle.mjs')];
    },
  };
}

export const rollupPlain: Pipeline = bundle('rollup', []);
export const rollupTerser: Pipeline = bundle('rollup + terser', [
  {
    name: 'terser',
    renderChunk: async (code, { name }) => {
      if (name !== KERNELS && name !== 'write-library') return null;
      const made = await minify(code, { module: true, compress: { passes: 2 }, sourceMap: true });
      if (made.code === undefined || typeof made.map !== 'string') throw new Error('terser gave no code');
      return { code: made.code, map: made.map };
    },
  },
]);

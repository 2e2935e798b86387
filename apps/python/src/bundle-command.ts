import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Packages that Node loads only where they are installed. */
const external = ['koffi', 'webgpu', 'fsevents'];

/**
 * Bundles the command, and the packages that modules with launches import, into `folder`: split, so
 * that a command loads only what it needs. The stand-in headers are where the command looks for
 * them. `root` is the repository.
 */
export async function bundleCommand(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entries = publicEntries(root);
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: join(root, 'apps/cli/src/main.ts'),
      ...Object.fromEntries(entries.map(({ name, entry }) => [entryName(name), entry])),
    },
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    conditions: ['@nccl-ts/source'],
    // The command finds its manifest one folder up, from every chunk.
    chunkNames: '[hash]',
    outExtension: { '.js': '.mjs' },
    external,
    plugins: [nodeHooks],
    // Some packages of the bundle are CommonJS, and require Node's own modules.
    banner: {
      js: "import{createRequire as ncclTsRequire}from'node:module';const require=ncclTsRequire(import.meta.url);",
    },
    legalComments: 'external',
    logLevel: 'warning',
  });
  const { version } = manifestOf(join(root, 'apps/cli'));
  writeJson(join(folder, 'package.json'), { name: 'nccl-ts-command', version, type: 'module' });
  writeJson(
    join(folder, 'dist/packages.json'),
    Object.fromEntries(entries.map(({ name }) => [name, `${entryName(name)}.mjs`])),
  );
  const harness = join(folder, 'node_modules/@nccl-ts/harness');
  mkdirSync(harness, { recursive: true });
  writeJson(join(harness, 'package.json'), { name: '@nccl-ts/harness', version });
  cpSync(join(root, 'packages/harness/include'), join(harness, 'include'), { recursive: true });
}

/** Node of the wheel strips types itself. */
const nodeHooks: Plugin = {
  name: 'node hooks',
  setup: (bundler) => {
    bundler.onResolve({ filter: /\/accept-typescript\.ts$/ }, () => ({
      path: join(import.meta.dirname, 'node-hooks.ts'),
    }));
  },
};

/** The file of an import in the bundle, without its ending. */
function entryName(name: string): string {
  return name.replace('@nccl-ts/', 'lib-').replaceAll('/', '-');
}

interface PublicEntry {
  /** The specifier. */
  readonly name: string;
  /** The source. */
  readonly entry: string;
}

/** The entries that authors of kernels and launches import. */
function publicEntries(root: string): readonly PublicEntry[] {
  const folder = join(root, 'packages');
  return readdirSync(folder).flatMap((one) => {
    const { name, isPrivate, sources } = manifestOf(join(folder, one));
    if (isPrivate || notForLaunches.has(name)) return [];
    return sources.flatMap(([path, source]) => {
      const imported = path === '.' ? name : `${name}${path.slice(1)}`;
      return notForLaunches.has(imported) ? [] : [{ name: imported, entry: join(folder, one, source) }];
    });
  });
}

/** Imports that are not for launches, or for other environments. */
const notForLaunches: ReadonlySet<string> = new Set([
  'create-nccl-ts',
  '@nccl-ts/conformance',
  '@nccl-ts/eslint-plugin',
  '@nccl-ts/mcp',
  '@nccl-ts/vitest',
  'nccl-ts/vitest',
]);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly isPrivate: boolean;
  /** By path: the sources of the exports. */
  readonly sources: readonly (readonly [path: string, source: string])[];
}

function manifestOf(folder: string): Manifest {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const exported = fieldOf(manifest, 'exports');
  const sources = Object.entries(typeof exported === 'object' && exported !== null ? exported : {}).flatMap(
    ([path, target]: [string, unknown]) => {
      const source = fieldOf(target, '@nccl-ts/source');
      return typeof source === 'string' ? [[path, source] as const] : [];
    },
  );
  return {
    name: String(fieldOf(manifest, 'name')),
    version: String(fieldOf(manifest, 'version')),
    isPrivate: fieldOf(manifest, 'private') === true,
    sources,
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value)}\n`);
}

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

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
  const packages = publicPackages(root);
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: join(root, 'apps/cli/src/main.ts'),
      ...Object.fromEntries(packages.map(({ name, entry }) => [entryName(name), entry])),
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
    chunkNames: 'chunks/[hash]',
    outExtension: { '.js': '.mjs' },
    external,
    alias: {
      'tsx/esm/api': join(import.meta.dirname, 'node-hooks.ts'),
      'tsx/cjs/api': join(import.meta.dirname, 'node-hooks.ts'),
    },
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
    packages.map(({ name }) => name),
  );
  const harness = join(folder, 'node_modules/@nccl-ts/harness');
  mkdirSync(harness, { recursive: true });
  writeJson(join(harness, 'package.json'), { name: '@nccl-ts/harness', version });
  cpSync(join(root, 'packages/harness/include'), join(harness, 'include'), { recursive: true });
}

/** The file of a package in the bundle, without its ending. */
export function entryName(name: string): string {
  return name.replace('@nccl-ts/', 'lib-');
}

interface PublicPackage {
  readonly name: string;
  readonly entry: string;
}

/** The packages that authors of kernels and launches import. */
function publicPackages(root: string): readonly PublicPackage[] {
  const folder = join(root, 'packages');
  return readdirSync(folder).flatMap((one) => {
    const { name, isPrivate } = manifestOf(join(folder, one));
    if (isPrivate || notForLaunches.has(name)) return [];
    return [{ name, entry: join(folder, one, 'src/index.ts') }];
  });
}

/** Packages without an import for launches, or for other environments. */
const notForLaunches: ReadonlySet<string> = new Set(['create-nccl-ts', '@nccl-ts/vitest', '@nccl-ts/conformance']);

function manifestOf(folder: string): { readonly name: string; readonly version: string; readonly isPrivate: boolean } {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const field = (name: string): unknown =>
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, name) : undefined;
  return { name: String(field('name')), version: String(field('version')), isPrivate: field('private') === true };
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value)}\n`);
}

import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { property, textAt } from '@nccl-ts/fences';
import { build, type Plugin } from 'esbuild';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { pureInitializers } from './pure-initializers.ts';
import type { PublishedPackage } from './published-packages.ts';

/** The condition by which this repository's tests and tools find the sources. No release has it. */
const SOURCE = '@nccl-ts/source';

/**
 * Replaces the built files of a package by what its users install: one script and one declaration
 * file for each entry, and for what entries share or load later. Source maps and sources stay out.
 * Kernels read their own text, so nothing is minified.
 *
 * The package must be built. It has to be built again for the tools of this repository.
 */
export async function bundlePackage(published: PublishedPackage): Promise<void> {
  const { folder } = published;
  const dist = join(folder, 'dist');
  const bundled = mkdtempSync(join(folder, '.bundled-'));
  try {
    const scripts = scriptsOf(published);
    const inputs = await bundleScripts(published, scripts, bundled);
    const licenses = licensesOf(folder, inputs);
    if (licenses !== '') writeFileSync(join(bundled, 'LICENSES.txt'), licenses);
    await bundleTypes(
      dist,
      published.entries.map(({ types }) => types),
      bundled,
    );
    rmSync(dist, { recursive: true });
    renameSync(bundled, dist);
    // Folders that only their maker may read are made for secrets.
    chmodSync(dist, 0o755);
  } finally {
    rmSync(bundled, { recursive: true, force: true });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(releasedManifest(published.manifest), null, 2)}\n`);
}

/**
 * The built scripts that users load: the entries, and those that the commands start or
 * register.
 */
function scriptsOf({ folder, manifest, entries, commands }: PublishedPackage): readonly string[] {
  const started = commands.flatMap((name) => {
    const text = readFileSync(join(folder, 'bin', `${name}.js`), 'utf8');
    return [...text.matchAll(/'\.\.\/(dist\/[^']+\.js)'/gu)].map(([, path]) => join(folder, path ?? ''));
  });
  const exported = property(manifest, 'exports');
  const targets: readonly unknown[] = typeof exported === 'object' && exported !== null ? Object.values(exported) : [];
  // An export without types is for Node alone.
  const registered = targets.flatMap((target) =>
    typeof target === 'string' && target.startsWith('./dist/') ? [join(folder, target)] : [],
  );
  return [...new Set([...entries.map(({ script }) => script), ...started, ...registered])];
}

/**
 * The modules that import packages of others. They stay files of their own, so that a bundler can
 * leave them out with what they import, which may have effects.
 */
function importersOf(dist: string): readonly string[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(dist, path))
    .filter((path) => /^(?:import|\} ).*from '(?!\.|node:|@nccl-ts\/)/mu.test(readFileSync(path, 'utf8')));
}

/**
 * Bundles the scripts with the packages that only development needs, and returns all files in it.
 */
async function bundleScripts(
  { folder, name, manifest }: PublishedPackage,
  scripts: readonly string[],
  into: string,
): Promise<readonly string[]> {
  const dist = join(folder, 'dist');
  const isPure = property(manifest, 'sideEffects') === false;
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...new Set([...scripts, ...(isPure ? importersOf(dist) : [])])],
    outbase: dist,
    outdir: into,
    bundle: true,
    splitting: true,
    external: [name, ...installedWith(manifest)].flatMap((one) => [one, `${one}/*`]),
    metafile: true,
    format: 'esm',
    // Imports from Node itself stay as they are.
    platform: 'node',
    target: 'es2023',
    charset: 'utf8',
    legalComments: 'none',
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
    plugins: isPure ? [pure] : [],
  });
  return Object.keys(metafile.inputs);
}

/** The packages that npm installs, or finds, with this one. */
function installedWith(manifest: unknown): readonly string[] {
  return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) => {
    const packages = property(manifest, field);
    return typeof packages === 'object' && packages !== null ? Object.keys(packages) : [];
  });
}

/** The licenses of the packages of others that these files come from. */
function licensesOf(folder: string, inputs: readonly string[]): string {
  const owners = inputs.flatMap((input) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(join(folder, input)) ?? []);
  return [...new Set(owners)]
    .map((owner) => {
      const manifest: unknown = JSON.parse(readFileSync(join(owner, 'package.json'), 'utf8'));
      return `${textAt(manifest, 'name')} ${textAt(manifest, 'version')}\n\n${readFileSync(join(owner, 'LICENSE'), 'utf8')}`;
    })
    .join('\n');
}

/** Lets the bundles of users leave out what they do not use, as they do with separate modules. */
const pure: Plugin = {
  name: 'pure initializers',
  setup: (plugin) => {
    plugin.onLoad({ filter: /\.js$/ }, ({ path }) =>
      path.includes('/node_modules/') ? undefined : { contents: pureInitializers(readFileSync(path, 'utf8')) },
    );
  },
};

async function bundleTypes(dist: string, declarations: readonly string[], into: string): Promise<void> {
  if (declarations.length === 0) return;
  const bundle = await rolldown({
    input: Object.fromEntries(
      declarations.map((path) => [relative(dist, path).replace(/\.d\.ts$/u, ''), path] as const),
    ),
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    // The generator has nothing to do, because the input is declarations.
    plugins: dts({ dtsOnly: true, generator: 'oxc', sourcemap: false }),
  });
  try {
    await bundle.write({ dir: into, format: 'es', entryFileNames: '[name].ts', chunkFileNames: '[name]-[hash].d.ts' });
  } finally {
    await bundle.close();
  }
}

/** The manifest without what only this repository uses. */
function releasedManifest(manifest: unknown): object {
  if (typeof manifest !== 'object' || manifest === null) throw new TypeError('The manifest is no object.');
  const exported = property(manifest, 'exports');
  const files = property(manifest, 'files');
  return {
    ...manifest,
    ...(Array.isArray(files) && { files: files.filter((file) => file !== 'src' && file !== '!dist/.tsbuildinfo') }),
    ...(typeof exported === 'object' && exported !== null && { exports: withoutSource(exported) }),
  };
}

function withoutSource(exported: object): object {
  return Object.fromEntries(
    Object.entries(exported).map(([name, target]: [string, unknown]) => {
      if (typeof target !== 'object' || target === null) return [name, target];
      return [name, Object.fromEntries(Object.entries(target).filter(([condition]) => condition !== SOURCE))];
    }),
  );
}

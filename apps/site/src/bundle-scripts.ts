import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { dist, own, root, site } from './folders.ts';
import { pastIndexes, pastIndexesOf } from './past-indexes.ts';

/** For each script of a page, the files that it imports on load, directly or not. */
export type Imported = ReadonlyMap<string, readonly string[]>;

/** Bundles the worker and the scripts of the pages. */
export async function bundleScripts(): Promise<Imported> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(
      ['site', 'embeds', 'play', 'litmus', 'ptx', 'break', 'barrier', 'algorithms'].map((name) => [
        name,
        `${site}page/${name}.ts`,
      ]),
    ),
    ...shared,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    metafile: true,
    plugins: [after(`${site}page/common.ts`)],
  });
  // Code that few programs need is loaded on demand. The policy of the worker allows the site's own
  // files.
  await build({
    entryPoints: { worker: `${site}page/worker/worker.ts` },
    ...shared,
    splitting: true,
    chunkNames: 'worker-[hash]',
    banner: { js: symbolsOfDisposal },
    plugins: [after(`${site}page/worker/worker.ts`), withoutThreads, firstNames, pastIndexes],
  });
  await build({ entryPoints: { language: `${site}page/language/worker.ts` }, ...shared });
  await build({
    entryPoints: { style: `${site}page/style.css` },
    bundle: true,
    outdir: `${dist}/assets`,
    minify: true,
  });
  await writeStyleOfEmbeds();
  return importedBy(metafile);
}

/**
 * The style of programs in documents: that of the pages, but only for what is in `.framed`. The
 * rest of a document has the style of VitePress, whose choice of dark or light sets the variables.
 */
async function writeStyleOfEmbeds(): Promise<void> {
  const { outputFiles } = await build({ entryPoints: [`${site}page/style.css`], bundle: true, write: false });
  const text = outputFiles[0]?.text ?? '';
  const [block = '', inner = ''] = /:root \{\n([\s\S]*?)\n\}\n/.exec(text) ?? [];
  const variables = inner.split('\n').filter((line) => line.startsWith('  --'));
  await build({
    stdin: { contents: `.framed {\n${variables.join('\n')}\n${text.replace(block, '')}}\n`, loader: 'css' },
    outfile: `${dist}/assets/embeds.css`,
    minify: true,
    // Nested rules are not everywhere yet.
    supported: { nesting: false },
    logLevel: 'warning',
  });
}

/**
 * Lists the imported files of each script. Without this list, a browser learns of a file only from
 * the file that imports it.
 */
function importedBy({ outputs }: Metafile): Imported {
  const found = new Map<string, readonly string[]>();
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint === undefined) continue;
    const files = new Set<string>();
    const add = (file: string): void => {
      for (const { path: next, kind } of outputs[file]?.imports ?? []) {
        if (kind !== 'import-statement' || files.has(next)) continue;
        files.add(next);
        add(next);
      }
    };
    add(path);
    found.set(basename(path, '.js'), [...files].map((file) => basename(file)).toSorted());
  }
  return found;
}

/**
 * Keeps a start in one file: that of the worker, or what most pages share. The bundler makes a file
 * for each set of parts that share modules, and a start in thirty files waits for thirty responses.
 * So every part that is loaded later imports the start. The same parts then use all modules of the
 * start, so these become one file.
 */
const after = (start: string): Plugin => ({
  name: 'after-the-start',
  setup: (bundler) => {
    bundler.onResolve({ filter: /.*/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      // The resolution below must not call this plugin again.
      if (kind !== 'dynamic-import' || pluginData === 'inner') return;
      const found = await bundler.resolve(path, { kind, importer, resolveDir, pluginData: 'inner' });
      if (found.external || found.errors.length > 0 || found.path === '') return found;
      return { path: found.path, namespace: 'after-the-start' };
    });
    bundler.onLoad({ filter: /.*/, namespace: 'after-the-start' }, ({ path }) => ({
      contents: `import ${JSON.stringify(start)}; export * from ${JSON.stringify(path)};`,
      resolveDir: dirname(path),
    }));
  },
});

/**
 * WebKit does not have the disposal symbols yet. The packages' classes and the bundler's own code
 * for `using` must agree on them, so each file defines them first.
 */
const symbolsOfDisposal =
  "for (const name of ['dispose', 'asyncDispose']) Symbol[name] ??= Symbol.for('Symbol.' + name);";

/**
 * Leaves out the code of the simulator's worker threads. They need shared memory, which a page has
 * only if it is cross-origin isolated. This site is not, so that code could never run.
 */
const withoutThreads: Plugin = {
  name: 'without-threads',
  setup: (bundler) => {
    bundler.onLoad({ filter: /backend-sim\/src\/worker\/worker-text\.ts$/ }, () => ({
      contents: "export const workerText = '';",
    }));
  },
};

/**
 * Provides `virtual:nccl-ts-first`, which is `nccl-ts` without the collectives and the check. A
 * program that names one of those loads all of `nccl-ts`. Other programs load a fifth less script.
 * The split is in the site, so other bundles of the packages stay single files.
 */
const firstNames: Plugin = {
  name: 'first-names',
  setup: (bundler) => {
    const folder = `${root}packages/nccl-ts/src`;
    bundler.onResolve({ filter: /^virtual:nccl-ts-first$/ }, () => ({
      path: `${folder}/first.ts`,
      namespace: 'first-names',
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'first-names' }, async () => {
      const whole = await readFile(`${folder}/index.ts`, 'utf8');
      const first = whole
        .replace(/^export \{[^}]*\} from '@nccl-ts\/collectives';$/m, '')
        .replace("export { check } from '@nccl-ts/checker';\n", '');
      if (/collectives';|\bcheck\b,/.test(first)) {
        throw new Error('cannot split nccl-ts, because its index names the collectives or the check in another way.');
      }
      return { contents: pastIndexesOf(first), loader: 'ts', resolveDir: folder };
    });
  },
};

const shared = {
  outdir: `${dist}/assets`,
  bundle: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2022',
  conditions: ['@nccl-ts/source'],
  nodePaths: [`${own}/node_modules`],
  // The kernel package and the code that removes types use the same parser.
  alias: { acorn: `${own}/node_modules/acorn` },
  minify: true,
  logLevel: 'warning',
} satisfies BuildOptions;

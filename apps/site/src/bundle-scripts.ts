import { readFile } from 'node:fs/promises';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { dist, own, root, site } from './folders.ts';
import { pastIndexes, pastIndexesOf } from './past-indexes.ts';

/** Bundles the scripts of the pages and the worker. */
export async function bundleScripts(): Promise<void> {
  await build({
    entryPoints: Object.fromEntries(
      ['site', 'play', 'litmus', 'ptx', 'break', 'barrier'].map((name) => [name, `${site}page/${name}.ts`]),
    ),
    ...shared,
    splitting: true,
    chunkNames: 'chunk-[hash]',
  });
  // Parts that few programs need are loaded when one needs them. The policy of the worker allows
  // the site's own files.
  await build({
    entryPoints: { worker: `${site}page/worker/worker.ts` },
    ...shared,
    splitting: true,
    chunkNames: 'worker-[hash]',
    banner: { js: symbolsOfDisposal },
    plugins: [withoutThreads, firstNames, pastIndexes],
  });
  await build({ entryPoints: { language: `${site}page/language/worker.ts` }, ...shared });
  await build({ entryPoints: { style: `${site}page/style.css` }, outdir: `${dist}/assets`, minify: true });
}

/**
 * WebKit has no symbols of disposal yet. Classes of the packages and the bundler's own code for
 * `using` must agree on them, in each file before anything else.
 */
const symbolsOfDisposal =
  "for (const name of ['dispose', 'asyncDispose']) Symbol[name] ??= Symbol.for('Symbol.' + name);";

/**
 * The simulator's worker threads need shared memory, which a page has only if it is cross-origin
 * isolated. This site is not, so the code of its threads could never run.
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
 * `nccl-ts/first` is `nccl-ts` without the collectives and the check. A program that names one of
 * those loads the whole of it; all others need not wait for a fifth more of script. The seam is the
 * site's own, so bundles of the packages stay single files.
 */
const firstNames: Plugin = {
  name: 'first-names',
  setup: (bundler) => {
    const folder = `${root}packages/nccl-ts/src`;
    bundler.onResolve({ filter: /^nccl-ts\/first$/ }, () => ({ path: `${folder}/first.ts`, namespace: 'first-names' }));
    bundler.onLoad({ filter: /.*/, namespace: 'first-names' }, async () => {
      const whole = await readFile(`${folder}/index.ts`, 'utf8');
      const first = whole
        .replace(/^export \{[^}]*\} from '@nccl-ts\/collectives';$/m, '')
        .replace("export { check, sim } from '@nccl-ts/backend-sim';", "export { sim } from '@nccl-ts/backend-sim';");
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
  // The kernel package and the remover of types take the same parser.
  alias: { acorn: `${own}/node_modules/acorn` },
  minify: true,
  logLevel: 'warning',
} satisfies BuildOptions;

import { build, type BuildOptions, type Plugin } from 'esbuild';
import { dist, own, site } from './folders.ts';

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
    plugins: [withoutThreads],
  });
  await build({ entryPoints: { style: `${site}page/style.css` }, outdir: `${dist}/assets`, minify: true });
}

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

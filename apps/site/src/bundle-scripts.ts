import { build } from 'esbuild';
import { dist, own, site } from './folders.ts';

/** Bundles the scripts of the pages and the worker. */
export async function bundleScripts(): Promise<void> {
  await build({
    entryPoints: Object.fromEntries(
      ['site', 'play', 'litmus', 'ptx'].map((name) => [name, `${site}page/${name}.ts`]),
    ),
    ...shared,
    splitting: true,
    chunkNames: 'chunk-[hash]',
  });
  // One file: a module worker in pieces would need a policy for each.
  await build({ entryPoints: { worker: `${site}page/worker/worker.ts` }, ...shared, keepNames: false });
  await build({ entryPoints: { style: `${site}page/style.css` }, outdir: `${dist}/assets`, minify: true });
}

const shared = {
  outdir: `${dist}/assets`,
  bundle: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2022',
  conditions: ['@nccl-ts/source'],
  nodePaths: [`${own}/node_modules`],
  minifySyntax: true,
  minifyWhitespace: true,
  // Names of kernels' parameters must stay: capture reads the text of functions.
  minifyIdentifiers: false,
  logLevel: 'warning',
} as const;

import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { minify as minifyBySwc } from '@swc/core';
import { build as esbuild, type BuildOptions } from 'esbuild';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { minify } from 'terser';
import { build, preview } from 'vite';

import { sourceCondition } from '../pipelines/pipeline.ts';
import { typescriptPackages } from '../pipelines/rollup.ts';
import { installedBinary, installTools } from './install-tools.ts';
import { pageEntry, writePage } from './page-folder.ts';
import { serveFolder, type Served } from './serve-folder.ts';

const execute = promisify(execFile);

/** A tool that makes a production build of the page. */
export interface PageBuild {
  readonly name: string;
  /**
   * Builds into the empty folder `out` and serves the result.
   *
   * @throws Error if the tool fails or is not available
   */
  readonly serve: (out: string) => Promise<Served>;
}

const conditions = [sourceCondition, 'module', 'browser', 'production'];

/** Vite builds the page, and serves the result. */
export const vitePage: PageBuild = {
  name: 'vite build + preview',
  serve: async (out) => {
    await writePage(out, '/page.ts');
    await writeFile(join(out, 'page.ts'), `import ${JSON.stringify(pageEntry)};\n`);
    const common = { root: out, configFile: false, logLevel: 'error' } as const;
    await build({ ...common, resolve: { conditions }, build: { chunkSizeWarningLimit: Number.POSITIVE_INFINITY } });
    const server = await preview({ ...common, preview: { host: '127.0.0.1', port: 0, strictPort: false } });
    const url = server.resolvedUrls?.local[0];
    if (url === undefined) throw new Error('vite preview has no address');
    return { url, [Symbol.asyncDispose]: async () => server.close() };
  },
};

function scriptPage(name: string, write: (file: string, folder: string) => Promise<void>): PageBuild {
  return {
    name,
    serve: async (out) => {
      const folder = join(out, 'dist');
      await mkdir(folder);
      await write(join(folder, 'page.js'), out);
      await writePage(folder, '/page.js');
      return serveFolder(folder);
    },
  };
}

async function bundled(): Promise<string> {
  const made = await rollup({ input: pageEntry, plugins: [typescriptPackages()], onwarn: () => {} });
  const { output } = await made.generate({ format: 'esm', inlineDynamicImports: true });
  return output[0].code;
}

const esbuildOptions: BuildOptions = {
  entryPoints: [pageEntry],
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  conditions,
  minify: true,
  logLevel: 'silent',
};

/**
 * TypeScript is removed first, so that webpack and Deno see the same files as users of JavaScript.
 */
async function writePlain(folder: string): Promise<string> {
  const file = join(folder, 'plain.mjs');
  await writeFile(file, await bundled());
  return file;
}

export const pageBuilds: readonly PageBuild[] = [
  vitePage,
  scriptPage('esbuild --minify', async (outfile) => void (await esbuild({ ...esbuildOptions, outfile }))),
  scriptPage(
    'esbuild --minify --keep-names',
    async (outfile) => void (await esbuild({ ...esbuildOptions, keepNames: true, outfile })),
  ),
  scriptPage('rolldown --minify', async (file) => {
    const made = await rolldown({
      input: pageEntry,
      platform: 'browser',
      resolve: { conditionNames: [...conditions, 'import'] },
      logLevel: 'silent',
    });
    await made.write({ file, format: 'esm', minify: true, codeSplitting: false });
    await made.close();
  }),
  scriptPage('rollup + terser', async (file) => {
    const { code } = await minify(await bundled(), { module: true, compress: { passes: 2 } });
    await writeFile(file, code ?? '');
  }),
  scriptPage('rollup + swc', async (file) => {
    const { code } = await minifyBySwc(await bundled(), { compress: true, mangle: true, module: true });
    await writeFile(file, code);
  }),
  scriptPage('webpack', async (file, out) => {
    const tools = await installTools(['webpack', 'webpack-cli']);
    const entry = await writePlain(out);
    const config = join(out, 'webpack.config.cjs');
    const output = { path: join(out, 'dist'), filename: 'page.js' };
    const settings = { mode: 'production', entry, output, experiments: { topLevelAwait: true }, performance: false };
    await writeFile(config, `module.exports = ${JSON.stringify(settings)};\n`);
    await execute(process.execPath, [join(tools, 'webpack/bin/webpack.js'), '--config', config], { cwd: out });
    await readFile(file);
  }),
  scriptPage('bun build --minify', async (file, out) => {
    const bun = await installedBinary('bun', '@oven', 'bin/bun');
    const entry = await writePlain(out);
    await execute(bun, ['build', entry, '--minify', '--target=browser', '--format=esm', `--outfile=${file}`]);
  }),
  scriptPage('deno bundle --minify', async (file, out) => {
    const deno = await installedBinary('deno', '@deno', 'deno');
    const entry = await writePlain(out);
    const args = ['bundle', '--minify', '--platform=browser', '--format=esm', '-o', file, entry];
    await execute(deno, args, { cwd: out });
  }),
];

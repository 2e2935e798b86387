import { join } from 'node:path';

import { build, type BuildOptions } from 'esbuild';

import { entry, sourceCondition, type Pipeline } from './pipeline.ts';

function bundle(name: string, options: BuildOptions): Pipeline {
  return {
    name,
    ...(options.sourcemap === false ? { traceable: false } : {}),
    build: async (out) => {
      const outfile = join(out, 'bundle.mjs');
      await build({
        entryPoints: [entry],
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        conditions: [sourceCondition],
        sourcemap: true,
        logLevel: 'silent',
        ...options,
      });
      return [outfile];
    },
  };
}

export const esbuild: Pipeline = bundle('esbuild', {});
export const esbuildKeepNames: Pipeline = bundle('esbuild --keep-names', { keepNames: true });
export const esbuildMinify: Pipeline = bundle('esbuild --minify', { minify: true });
export const esbuildNoMap: Pipeline = bundle('esbuild --minify, no source map', { minify: true, sourcemap: false });

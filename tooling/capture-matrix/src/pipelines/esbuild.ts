import { join } from 'node:path';

import { build, type BuildOptions } from 'esbuild';

import { sourceCondition, type Pipeline } from './pipeline.ts';

function bundle(name: string, options: BuildOptions): Pipeline {
  return {
    name,
    ...(options.sourcemap === false ? { traceable: false } : {}),
    build: async (out, program) => {
      const outfile = join(out, 'bundle.mjs');
      await build({
        entryPoints: [program.entry],
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
export const esbuildMinifyKeepNames: Pipeline = bundle('esbuild --minify --keep-names', {
  minify: true,
  keepNames: true,
});
export const esbuildNoMap: Pipeline = bundle('esbuild --minify, no source map', { minify: true, sourcemap: false });

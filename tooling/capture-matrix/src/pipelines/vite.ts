import { join } from 'node:path';

import { build } from 'vite';

import { sourceCondition, type Pipeline } from './pipeline.ts';

/**
 * Vite's own production build, with all defaults except the path of the output.
 */
export const viteBuild: Pipeline = {
  name: 'vite build',
  build: async (out, program) => {
    await build({
      root: out,
      configFile: false,
      logLevel: 'error',
      resolve: { conditions: [sourceCondition, 'module', 'browser', 'production'] },
      build: {
        outDir: join(out, 'dist'),
        sourcemap: true,
        modulePreload: false,
        // The bundle is large, because it contains the simulator's workers as text.
        chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
        rolldownOptions: { input: program.entry, external: /^node:/, output: { entryFileNames: 'bundle.mjs' } },
      },
    });
    return [join(out, 'dist/bundle.mjs')];
  },
};

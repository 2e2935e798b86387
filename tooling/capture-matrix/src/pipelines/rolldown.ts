import { join } from 'node:path';

import { rolldown } from 'rolldown';

import { sourceCondition, type Pipeline } from './pipeline.ts';

function bundle(name: string, minify: boolean): Pipeline {
  return {
    name,
    build: async (out, program) => {
      const made = await rolldown({
        input: program.entry,
        platform: 'node',
        resolve: { conditionNames: [sourceCondition, 'import'] },
        transform: { target: 'node20' },
        logLevel: 'silent',
      });
      const file = join(out, 'bundle.mjs');
      await made.write({ file, format: 'esm', sourcemap: true, minify, codeSplitting: false });
      await made.close();
      return [file];
    },
  };
}

export const rolldownPlain: Pipeline = bundle('rolldown', false);
export const rolldownMinify: Pipeline = bundle('rolldown --minify', true);

import { JsonValue } from './json-value.ts';

/** The provenance that each results file contains. */
const required = ['commit', 'command', 'date', 'machine'] as const;

/** The missing facts about how a file of results was taken; empty if it is complete. */
export function missingIn(text: string, file: string): readonly string[] {
  const results = new JsonValue(JSON.parse(text), file);
  return required.filter((name) => !results.at(name).present);
}

/**
 * The measured sources, by the name of the file. If they change, the file is out of date. The first
 * match counts.
 */
const measured: readonly (readonly [RegExp, readonly string[]])[] = [
  [/backend-cuda\/results\//, ['packages/backend-cuda/src', 'packages/ir/src', 'packages/conformance/src']],
  [/backend-webgpu\/results\//, ['packages/backend-webgpu/src', 'packages/ir/src', 'packages/conformance/src']],
  [/collectives\/results\/webgpu/, ['packages/collectives/src', 'packages/backend-webgpu/src']],
  [/collectives\/results\/product-sim/, ['packages/collectives/src', 'packages/backend-sim/src', 'packages/ir/src']],
  [/collectives\/results\//, ['packages/collectives/src', 'packages/backend-cuda/src']],
  [
    /bench\/results\/(measured-(?:public|what|relaxed|micro)|repeated|syncs|profile)/,
    ['packages/machine-profile/src', 'apps/bench/native'],
  ],
  [
    /bench\/results\/(predicted-(?:public|what|relaxed|micro)|public|mended|what|relaxed|micro)/,
    ['packages/cost-model/src', 'apps/bench/src/public-kernels'],
  ],
  [/bench\/results\/ring/, ['packages/collectives/src']],
  [/bench\/results\/measured/, ['packages/collectives/src', 'packages/backend-cuda/src']],
  [/bench\/results\/examples/, ['packages/collectives/src', 'packages/backend-cuda/src']],
  [/bench\/results\/nccl-estimate/, ['apps/bench/gpu-machine/nccl-estimate.py']],
  [/bench\/results\/predicted/, ['packages/collectives/src', 'packages/backend-sim/src/trace']],
  [/bench\/results\/pausing/, ['packages/backend-sim/src', 'apps/bench/src/kernels', 'apps/bench/src/pausing']],
  [/site\/results\//, ['apps/site/page', 'apps/site/src', 'packages/backend-sim/src']],
  [/bench\/results\/tracing/, ['packages/backend-sim/src', 'packages/collectives/src', 'apps/bench/src/predict']],
  [/python\/results\//, ['apps/python/python/nccl_ts', 'apps/python/src']],
  [/bench\/results\/racy/, ['packages/backend-sim/src', 'packages/memory-model/src', 'apps/bench/src/kernels']],
];

/** The paths that a results file measures, or `undefined` if they are not declared. */
export function measuredPaths(file: string): readonly string[] | undefined {
  return measured.find(([pattern]) => pattern.test(file))?.[1];
}

/** The commit at which a results file was made. */
export function commitOf(text: string, file: string): string {
  return new JsonValue(JSON.parse(text), file).at('commit').text.replace(/-dirty$/, '');
}

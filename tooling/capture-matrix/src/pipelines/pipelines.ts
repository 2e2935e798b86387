import { esbuild, esbuildKeepNames, esbuildMinify, esbuildMinifyKeepNames, esbuildNoMap } from './esbuild.ts';
import { node, tsx } from './node.ts';
import type { Pipeline } from './pipeline.ts';
import { rolldownMinify, rolldownPlain } from './rolldown.ts';
import { rollupPlain, rollupTerser } from './rollup.ts';
import { swc, swcMinify } from './swc.ts';
import { tsc } from './tsc.ts';
import { viteBuild } from './vite.ts';

/** All except vitest, in which the tests themselves run. */
export const pipelines: readonly Pipeline[] = [
  node,
  tsx,
  tsc,
  esbuild,
  esbuildKeepNames,
  esbuildMinify,
  esbuildMinifyKeepNames,
  esbuildNoMap,
  rollupPlain,
  rollupTerser,
  rolldownPlain,
  rolldownMinify,
  swc,
  swcMinify,
  viteBuild,
];

/** One pipeline of each minifier, as its users run it. The others are similar. */
export const quickPipelines: readonly Pipeline[] = [esbuildMinifyKeepNames, rollupTerser, swcMinify, viteBuild];

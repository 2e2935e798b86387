import { runTool } from './command.mjs';

/**
 * Compiles every package and app into its `dist`.
 *
 * @returns {boolean} true if it compiled
 */
export function build() {
  return runTool('typescript', ['-b', 'tsconfig.build.json'], 'tsc');
}

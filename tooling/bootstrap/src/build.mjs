import { runTool } from './command.mjs';

/**
 * Compiles every package and app into its `dist`.
 *
 * @returns {boolean} whether it compiled
 */
export function build() {
  return runTool('typescript', ['-b', 'tsconfig.build.json'], 'tsc');
}

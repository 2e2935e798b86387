import process from 'node:process';

import { runCommand, runTool } from './command.mjs';

/**
 * Compiles every package and app into its `dist`.
 *
 * @returns {boolean} true if it compiled
 */
export function build() {
  const isReady = runCommand(process.execPath, ['tooling/bootstrap/src/worker-text.mjs']);
  return isReady && runTool('typescript', ['-b', 'tsconfig.build.json'], 'tsc');
}

import { boundaries, format, lint, types } from './checks.mjs';
import { runSource, runTool } from './command.mjs';
import { runSteps } from './steps.mjs';

/**
 * Runs all checks of the repository except its tests.
 *
 * @returns {number} the exit status
 */
export function check() {
  const failed = runSteps([
    types,
    boundaries,
    lint,
    format,
    { name: 'dead code (knip)', run: () => runTool('knip', ['--no-progress', '--no-config-hints']) },
    { name: 'packaging (publint, attw)', run: () => runSource('tooling/packaging/src/check-packaging.ts') },
    { name: 'API reports (api-extractor)', run: () => runSource('tooling/packaging/src/check-api.ts') },
    { name: 'size (size-limit)', run: () => runTool('size-limit', []) },
  ]);
  console.log(failed.length === 0 ? '\ncheck: all passed' : `\ncheck: FAILED: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
}

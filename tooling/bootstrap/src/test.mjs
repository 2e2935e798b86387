import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { boundaries, format, lint, types } from './checks.mjs';
import { runTool } from './command.mjs';
import { countTests } from './count-tests.mjs';
import { root } from './root.mjs';
import { runSteps } from './steps.mjs';

/**
 * What `npm test` means: types, boundaries, lint, format, and every test.
 *
 * @param {readonly string[]} args handed on to vitest
 * @returns {number} the exit status
 */
export function test(args) {
  const began = performance.now();
  const folder = join(root, '.vitest');
  const results = join(folder, 'results.json');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);

  const failed = runSteps([
    types,
    boundaries,
    lint,
    format,
    {
      name: 'tests (vitest)',
      run: () =>
        runTool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`, ...args]),
    },
  ]);

  const counts = countTests(results, failed);
  writeFileSync(join(folder, 'summary.json'), JSON.stringify({ ...counts, failedSteps: failed }));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const steps = failed.length === 0 ? 'all steps ok' : `FAILED: ${failed.join('; ')}`;
  console.log(`\nnpm test: ${counts.passed} passed, ${counts.failed} failed; ${steps} (${seconds} s)`);
  // No test at all is a failure too: it means that the search for them broke.
  return failed.length === 0 && counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

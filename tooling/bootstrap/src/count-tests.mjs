/**
 * The last line of `.ci/run`: `node count-tests.mjs REPORT=STATUS ...` adds the tests of vitest's
 * JSON reports, each with the exit status of the command that wrote it. It fails if a test failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Counts the tests of a report. A test file that could not be loaded counts as one failure. So does
 * a command that failed although no test did, as when a check of types fails.
 *
 * @param {string} reportFile
 * @param {number} status
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(reportFile, status) {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1, skipped: 0 };

  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  let unloadable = 0;
  for (const file of report.testResults) {
    const explained = file.assertionResults.some((/** @type {{ status: string }} */ one) => one.status === 'failed');
    if (file.status === 'failed' && !explained) unloadable += 1;
  }
  const inTests = Number(report.numFailedTests) + unloadable;
  const skipped = Number(report.numPendingTests) + Number(report.numTodoTests);
  const failed = status === 0 ? inTests : Math.max(1, inTests);
  return { passed: Number(report.numPassedTests), failed, skipped };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let passed = 0;
  let failed = 0;
  for (const argument of process.argv.slice(2)) {
    const [file = '', status = '1'] = argument.split('=');
    const counts = countTests(file, Number(status));
    passed += counts.passed;
    failed += counts.failed;
  }
  console.log(`${passed} passed, ${failed} failed`);
  // Finding no tests is a failure too, because it means that the search is broken.
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
}

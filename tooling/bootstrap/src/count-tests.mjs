import { existsSync, readFileSync } from 'node:fs';

/**
 * Counts tests from vitest's JSON report. A test file that could not be loaded counts as one
 * failure, and so does every failed step other than vitest. So a failed run never ends with "0
 * failed".
 *
 * @param {string} resultsFile
 * @param {readonly string[]} failedSteps
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(resultsFile, failedSteps) {
  const otherSteps = failedSteps.filter((name) => !name.startsWith('tests')).length;
  const vitestFailed = otherSteps < failedSteps.length;
  if (!existsSync(resultsFile)) return { passed: 0, failed: Math.max(1, failedSteps.length), skipped: 0 };

  const report = JSON.parse(readFileSync(resultsFile, 'utf8'));
  let unloadable = 0;
  for (const file of report.testResults) {
    const explained = file.assertionResults.some((/** @type {{ status: string }} */ { status }) => status === 'failed');
    if (file.status === 'failed' && !explained) unloadable += 1;
  }
  const inTests = Number(report.numFailedTests) + unloadable;
  // An unhandled rejection makes vitest fail although no test failed.
  const failed = otherSteps + (vitestFailed ? Math.max(1, inTests) : inTests);
  const skipped = Number(report.numPendingTests) + Number(report.numTodoTests);
  return { passed: Number(report.numPassedTests), failed, skipped };
}

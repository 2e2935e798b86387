/**
 * The end of `.ci/run`: `node count-tests.mjs REPORT=STATUS ...` adds the tests of vitest's JSON
 * reports, each with the exit status of the command that wrote it. It names each test that failed,
 * because vitest's own account of it is long past, and fails if there is one.
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
 * @returns {{ passed: number, failed: number, skipped: number, failures: readonly string[] }}
 */
export function countTests(reportFile, status) {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1, skipped: 0, failures: [`${reportFile}: not written`] };

  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const failures = [];
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((/** @type {{ status: string }} */ one) => one.status === 'failed');
    for (const { fullName, failureMessages } of failed)
      failures.push(`${file.name}: ${fullName}\n${failureMessages[0]}`);
    if (file.status === 'failed' && failed.length === 0)
      failures.push(`${file.name}: cannot be loaded\n${file.message}`);
  }
  if (status !== 0 && failures.length === 0)
    failures.push(`${reportFile}: no test failed, and the exit status is ${status}`);
  const skipped = Number(report.numPendingTests) + Number(report.numTodoTests);
  return { passed: Number(report.numPassedTests), failed: failures.length, skipped, failures };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let passed = 0;
  let failed = 0;
  for (const argument of process.argv.slice(2)) {
    const [file = '', status = '1'] = argument.split('=');
    const counts = countTests(file, Number(status));
    passed += counts.passed;
    failed += counts.failed;
    for (const failure of counts.failures) console.log(`FAILED ${failure}\n`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  // Finding no tests is a failure too, because it means that the search is broken.
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { countTests } from '../src/count-tests.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'count-tests-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function report(counts: { readonly passed: number; readonly failed: number }, testResults: readonly object[]): string {
  const file = join(folder, 'results.json');
  const rest = { numPendingTests: 1, numTodoTests: 0, testResults };
  writeFileSync(file, JSON.stringify({ numPassedTests: counts.passed, numFailedTests: counts.failed, ...rest }));
  return file;
}

const good = { name: 'good.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] };
const bad = {
  name: 'bad.test.ts',
  status: 'failed',
  assertionResults: [{ status: 'failed', fullName: 'adds', failureMessages: ['expected 3 to be 4'] }],
};

test('a run without failures passes', () => {
  expect(countTests(report({ passed: 3, failed: 0 }, [good]), 0)).toEqual({
    passed: 3,
    failed: 0,
    skipped: 1,
    failures: [],
  });
});

test('a file that could not be loaded counts as a failure', () => {
  const file = report({ passed: 3, failed: 1 }, [
    good,
    bad,
    { name: 'gone.test.ts', status: 'failed', assertionResults: [], message: 'no such module' },
  ]);
  expect(countTests(file, 1)).toMatchObject({
    passed: 3,
    failed: 2,
    failures: ['bad.test.ts: adds\nexpected 3 to be 4', 'gone.test.ts: cannot be loaded\nno such module'],
  });
});

test('a failing vitest without a failing test counts as an unhandled rejection', () => {
  const file = report({ passed: 3, failed: 0 }, [good]);
  expect(countTests(file, 1)).toMatchObject({ passed: 3, failed: 1 });
});

test('a failing step other than vitest counts as a failure', () => {
  // Then vitest does not run.
  expect(countTests(join(folder, 'gone.json'), 2)).toMatchObject({ passed: 0, failed: 1, skipped: 0 });
});

test('a missing report is a failure', () => {
  expect(countTests(join(folder, 'gone.json'), 0)).toMatchObject({ passed: 0, failed: 1, skipped: 0 });
});

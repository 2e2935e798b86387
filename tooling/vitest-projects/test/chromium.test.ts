import { join } from 'node:path';

import { expect, test } from 'vitest';

import { chromiumProblem } from '../src/chromium.ts';
import { workspaceProjects } from '../src/projects.ts';

const root = join(import.meta.dirname, '../../..');

test('tests in test/chromium run in Chromium', ({ skip }) => {
  const problem = chromiumProblem();
  if (problem !== undefined) {
    if (process.env['CI'] === 'true') throw new Error(problem);
    console.warn(`The tests in test/chromium are skipped: ${problem}`);
    skip(problem);
  }
  const inChromium = workspaceProjects(root, 'quick')
    .filter(({ test: settings }) => settings?.browser?.enabled === true)
    .flatMap(({ test: settings }) => settings?.include ?? []);
  expect(inChromium).toContain('packages/backend-webgpu/test/chromium/**/*.test.ts');
  // Tests that run in Chromium do not also run in Node.
  const inNode = workspaceProjects(root, 'quick').filter(({ test: settings }) => settings?.browser === undefined);
  expect(inNode.length).toBeGreaterThan(1);
  for (const { test: settings } of inNode) expect(settings?.exclude).toContain('**/test/chromium/**');
});

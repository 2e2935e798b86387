import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { boundaries, format, lint, types } from './checks.mjs';
import { runTool } from './command.mjs';
import { countTests } from './count-tests.mjs';
import { root } from './root.mjs';
import { runSteps } from './steps.mjs';
import { passedIn, readPassed, testedMembers, writePassed } from './test-cache.mjs';

/**
 * Runs `npm test`: types, boundaries, lint, format, and every test. If a member passed here
 * earlier, and its sources and dependencies have not changed since, its tests are not run again and
 * count as passed. `--all`, which CI uses, and any other argument run them.
 *
 * @param {readonly string[]} args are passed to vitest
 * @returns {number} the exit status
 */
export function test(args) {
  const began = performance.now();
  const folder = join(root, '.vitest');
  const results = join(folder, 'results.json');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);

  const given = args.filter((arg) => arg !== '--all');
  const tested = given.length > 0 ? undefined : testedMembers();
  const known = readPassed();
  const isFresh = args.includes('--all') || process.env['CI'] !== undefined;
  const old = isFresh ? [] : (tested ?? []).filter(({ name, hash }) => known[name]?.hash === hash);
  const due = (tested ?? []).filter((member) => !old.includes(member));
  const filters = old.length === 0 ? given : due.map(({ folder: member }) => `${member}/test/`);

  const failed = runSteps([
    types,
    boundaries,
    lint,
    format,
    {
      name: 'tests (vitest)',
      run: () => {
        if (old.length > 0)
          console.log(`passed before, and nothing has changed: ${old.map(({ name }) => name).join(', ')}`);
        if (old.length > 0 && due.length === 0) return true;
        const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
        return runTool('vitest', ['run', ...reporters, ...filters]);
      },
    },
  ]);

  const before = old.reduce((sum, { name }) => sum + (known[name]?.passed ?? 0), 0);
  const ran =
    due.length > 0 || tested === undefined
      ? countTests(results, failed)
      : { passed: 0, failed: failed.length, skipped: 0 };
  const counts = { ...ran, passed: ran.passed + before };
  if (tested !== undefined && existsSync(results)) {
    writePassed({ ...known, ...passedIn(JSON.parse(readFileSync(results, 'utf8')), due) });
  }
  writeFileSync(join(folder, 'summary.json'), JSON.stringify({ ...counts, failedSteps: failed }));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const steps = failed.length === 0 ? 'all steps ok' : `FAILED: ${failed.join('; ')}`;
  const note = before > 0 ? ` (${before} of them before)` : '';
  console.log(`\nnpm test: ${counts.passed} passed${note}, ${counts.failed} failed; ${steps} (${seconds} s)`);
  // Finding no tests is a failure too, because it means that the search is broken.
  return failed.length === 0 && counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

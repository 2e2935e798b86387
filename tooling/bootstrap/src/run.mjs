/**
 * The entry point of a new clone: `node tooling/bootstrap/src/run.mjs start|test|check`.
 *
 * It uses only Node's built-in modules, because it runs before anything is installed.
 */
import process from 'node:process';

import { build } from './build.mjs';
import { check } from './check.mjs';
import { install } from './install.mjs';
import { requireNode } from './require-node.mjs';
import { start } from './start.mjs';
import { test } from './test.mjs';

/** @type {Readonly<Record<string, (args: readonly string[]) => number>>} */
const tasks = { start, test, check };

/** @param {readonly string[]} argv */
function main([name = '', ...args]) {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (task === undefined) {
    console.error(`Unknown task "${name}". Tasks: ${Object.keys(tasks).join(', ')}.`);
    return 1;
  }
  const problem = requireNode();
  if (problem !== undefined) {
    console.error(problem);
    return 1;
  }
  // Disables telemetry in all tools that are started from here.
  process.env['TURBO_TELEMETRY_DISABLED'] = '1';
  process.env['DO_NOT_TRACK'] = '1';
  // `npm test --silent` would also silence pnpm, which reports why an installation failed.
  delete process.env['npm_config_loglevel'];
  if (!install()) return 1;
  // A failed build ends `start`. `test` and `check` continue, and list it among their failed steps.
  if (name === 'start' && !build()) return 1;
  return task(args);
}

process.exitCode = main(process.argv.slice(2));

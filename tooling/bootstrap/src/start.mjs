import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { runCommand } from './command.mjs';
import { root } from './root.mjs';

/**
 * Runs the examples.
 *
 * @param {readonly string[]} args are passed to them
 * @returns {number} the exit status
 */
export function start(args) {
  const entry = join(root, 'apps', 'examples', 'dist', 'start.js');
  if (!existsSync(entry)) {
    console.error('There is nothing to start: apps/examples/src/start.ts is missing.');
    return 1;
  }
  return runCommand(process.execPath, ['--enable-source-maps', entry, ...args]) ? 0 : 1;
}

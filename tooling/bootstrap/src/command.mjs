import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

import { root } from './root.mjs';

/**
 * Runs a command in the repository's root with this process's input and output.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {boolean} true if it ended with status 0
 */
export function runCommand(command, args) {
  // On Windows npm and pnpm are .cmd files, which only a shell can start.
  const shell = process.platform === 'win32' && command !== process.execPath;
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell });
  if (result.error !== undefined) console.error(`Cannot start ${command}: ${result.error.message}`);
  return result.status === 0;
}

/**
 * Runs the command-line tool of a package that is installed in the root, with the running Node.
 *
 * @param {string} packageName
 * @param {readonly string[]} args
 * @param {string} [binName] the tool's name, if the package has several
 */
export function runTool(packageName, args, binName = packageName) {
  const manifestPath = join(root, 'node_modules', packageName, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifestPath, 'utf8'));
  const file = typeof bin === 'string' ? bin : bin[binName];
  return runCommand(process.execPath, [join(dirname(manifestPath), file), ...args]);
}

/**
 * Runs a TypeScript file of the repository.
 *
 * @param {string} file relative to the root
 * @param {readonly string[]} args
 */
export function runSource(file, args = []) {
  return runCommand(process.execPath, ['--import', 'tsx', join(root, file), ...args]);
}

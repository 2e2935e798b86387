/**
 * The action `.github/actions/check`. It runs `nccl-ts check` with the action's inputs, and prints
 * an annotation for each finding of its SARIF report. The exit code is that of the command.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { annotationsOf } from './annotations.mjs';
import { root } from './root.mjs';

const MISUSED = 2;

const {
  CHECK_FILES = '',
  CHECK_ARGS = '',
  CHECK_BASELINE = '',
  GITHUB_OUTPUT,
  GITHUB_WORKSPACE,
  RUNNER_TEMP,
} = process.env;
const workspace = GITHUB_WORKSPACE ?? process.cwd();
const sarif = join(mkdtempSync(join(RUNNER_TEMP ?? tmpdir(), 'nccl-ts-check-')), 'check.sarif');

const command = commandPath();
process.exitCode = command === undefined ? 1 : check(command);

/** @param {string} path */
function check(path) {
  const files = wordsOf(CHECK_FILES);
  if (files.length === 0) {
    console.error('The input files names no file.');
    return MISUSED;
  }
  const baseline = CHECK_BASELINE.trim() === '' ? [] : ['--baseline', CHECK_BASELINE.trim()];
  const args = ['check', ...files, ...wordsOf(CHECK_ARGS), ...baseline, '--sarif', sarif];
  const { status, error } = spawnSync(process.execPath, [path, ...args], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (existsSync(sarif)) {
    const log = JSON.parse(readFileSync(sarif, 'utf8'));
    for (const line of annotationsOf(log, (uri) => fromWorkspace(uri))) console.log(line);
    if (GITHUB_OUTPUT !== undefined) appendFileSync(GITHUB_OUTPUT, `sarif=${sarif}\n`);
  }
  return status ?? 1;
}

/**
 * The command of the project if it is installed, or otherwise that of this checkout, which is built
 * for it.
 *
 * @returns {string | undefined} `undefined` if the build failed
 */
function commandPath() {
  const require = createRequire(join(process.cwd(), 'package.json'));
  // Either package contains it.
  for (const name of ['nccl-ts', '@nccl-ts/cli']) {
    try {
      return join(dirname(require.resolve(`${name}/package.json`)), 'bin/nccl-ts.js');
    } catch {
      // It is not installed there.
    }
  }
  if (!existsSync(join(root, 'apps/cli/dist/main.js')) && !(npmRun('setup') && npmRun('build'))) return undefined;
  return join(root, 'apps/cli/bin/nccl-ts.js');
}

/**
 * Runs a script of the repository. Returns true if it succeeded.
 *
 * @param {string} script
 */
function npmRun(script) {
  // On Windows npm is a .cmd file, which only a shell can start.
  const shell = process.platform === 'win32';
  return spawnSync('npm', ['run', script], { cwd: root, stdio: 'inherit', shell }).status === 0;
}

/**
 * Splits a text into words at spaces and line breaks. A word in quotes may contain spaces.
 *
 * @param {string} text
 */
function wordsOf(text) {
  return (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}

/**
 * The path of a file from the repository's root, as annotations require.
 *
 * @param {string} uri
 */
function fromWorkspace(uri) {
  const path = uri.startsWith('file:') ? fileURLToPath(uri) : resolve(decodeURIComponent(uri));
  return relative(workspace, path).split(sep).join('/');
}

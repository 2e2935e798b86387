import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import process from 'node:process';

import { root } from './root.mjs';

/**
 * @typedef {{ hash: string, passed: number, skipped: number }} Passed
 * @typedef {{ name: string, folder: string, hash: string }} Tested
 */

const file = join(root, 'node_modules/.cache/nccl-ts/tests.json');

/**
 * By member: a hash of everything that its tests depend on, from turbo, and of the tools on this
 * machine.
 *
 * @returns {readonly Tested[] | undefined} `undefined` if turbo does not run here
 */
export function testedMembers() {
  const turbo = join(root, 'node_modules/turbo/bin/turbo');
  const result = spawnSync(process.execPath, [turbo, 'run', 'test', '--dry=json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (result.status !== 0) return undefined;
  /**
   * @type {{ tasks: readonly { task: string, command: string, package: string, directory: string,
   *   hash: string }[] }}
   */
  const { tasks } = JSON.parse(result.stdout);
  const machine = machineKey();
  return tasks
    .filter(({ task, command }) => task === 'test' && command !== '<NONEXISTENT>')
    .map((task) => ({
      name: task.package,
      folder: task.directory.split(sep).join('/'),
      hash: `${task.hash} ${machine}`,
    }));
}

/** Identifies the properties of a machine that decide which tests it can run. */
function machineKey() {
  const tools = ['chromium', 'google-chrome', 'nvcc', 'deno', 'bun'].filter((tool) =>
    (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, tool))),
  );
  const settings = Object.keys(process.env).filter((name) => /^(NCCLTS_|TEST_)/.test(name));
  const values = settings.toSorted().map((name) => `${name}=${process.env[name]}`);
  return [process.version, process.platform, process.arch, ...tools, ...values].join(' ');
}

/** @returns {Readonly<Record<string, Passed>>} the passed tests, by member */
export function readPassed() {
  try {
    /** @type {Readonly<Record<string, Passed>>} */
    const passed = JSON.parse(readFileSync(file, 'utf8'));
    return passed;
  } catch {
    return {};
  }
}

/** @param {Readonly<Record<string, Passed>>} passed */
export function writePassed(passed) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(passed));
  renameSync(`${file}.new`, file);
}

/**
 * The members that have passed according to vitest's JSON report. No test failed, and
 * every file could be loaded.
 *
 * @param {{ testResults: readonly { name: string, status: string, assertionResults: readonly {
 *   status: string }[] }[] }} report
 * @param {readonly Tested[]} tested
 * @returns {Readonly<Record<string, Passed>>}
 */
export function passedIn(report, tested) {
  return Object.fromEntries(
    tested.flatMap(({ name, folder, hash }) => {
      const files = report.testResults.filter((one) =>
        relative(root, one.name).split(sep).join('/').startsWith(`${folder}/`),
      );
      if (files.length === 0 || files.some(({ status }) => status !== 'passed')) return [];
      const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
      const passed = statuses.filter((status) => status === 'passed').length;
      return [[name, { hash, passed, skipped: statuses.length - passed }]];
    }),
  );
}

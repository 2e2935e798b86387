/**
 * Runs the modules that its arguments name, one after the other, and writes a line of JSON for
 * each.
 */
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

/** @type {string[]} */
let printed = [];
for (const method of /** @type {const} */ (['log', 'info', 'warn', 'error'])) {
  console[method] = (/** @type {readonly unknown[]} */ ...words) => printed.push(format(...words));
}

for (const name of process.argv.slice(2)) {
  printed = [];
  /** @type {string | undefined} */
  let error;
  try {
    compileKernels(await import(pathToFileURL(resolve(name)).href));
  } catch (reason) {
    error = format(reason).split('\n').slice(0, 4).join('\n');
  }
  process.exitCode = 0;
  process.stdout.write(`${JSON.stringify({ name, printed: printed.join('\n'), error })}\n`);
}

/**
 * Compiles every kernel among the exports of a module.
 *
 * @param {Readonly<Record<string, { kind?: unknown, compile?: () => unknown } | undefined>>}
 *   exported
 */
function compileKernels(exported) {
  for (const value of Object.values(exported)) {
    if (value?.kind === 'kernel') value.compile?.();
  }
}

/**
 * Runs command lines one after the other, as the message of each says, and sends back the outcome
 * of each. A process for each of them would load everything again.
 */
import process from 'node:process';
import { runCommandLine } from '../../dist/command-line.js';

const home = process.cwd();

/** @type {Promise<void>} */
let last = Promise.resolve();

/**
 * @typedef {{ id: number, args: string[], cwd: string, variables: Record<string, string> }} Request
 */

process.on('message', (/** @type {Request} */ request) => {
  last = last.then(() => answer(request));
});

/** @param {Request} request */
async function answer({ id, args, cwd, variables }) {
  process.chdir(cwd);
  const before = { ...process.env };
  Object.assign(process.env, variables);
  const written = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    process[name].write = (/** @type {string | Uint8Array} */ text) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      return true;
    };
  }
  let code = 1;
  try {
    code = await runCommandLine(['node', 'nccl-ts', ...args]);
  } catch (error) {
    written.stderr += `not caught: ${String(error)}`;
  } finally {
    process.env = before;
    // The test may remove the folder, and no process could start there.
    process.chdir(home);
    // The stream has its own method again.
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) Reflect.deleteProperty(process[name], 'write');
  }
  process.send?.({ id, code, ...written });
}

// The checks of `npm test` before its tests. Those that need no build run beside it. Each prints
// its output as one block when it ends.
import { spawn } from 'node:child_process';
import process from 'node:process';

import { root } from './root.mjs';

/**
 * Runs a script of the root package.
 *
 * @param {string} script
 * @returns {Promise<boolean>} Whether it succeeds.
 */
async function succeeds(script) {
  const child = spawn(`npm run -s ${script}`, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Buffer[]} */
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  process.stdout.write(Buffer.concat(output));
  if (code !== 0) process.stderr.write(`npm run ${script} failed\n`);
  return code === 0;
}

/**
 * Runs scripts one after the other, all of them.
 *
 * @param {readonly string[]} scripts
 */
async function allSucceed(scripts) {
  let all = true;
  for (const script of scripts) all = (await succeeds(script)) && all;
  return all;
}

const results = await Promise.all([allSucceed(['types']), allSucceed(['boundaries', 'lint:quick', 'format:check'])]);
if (results.includes(false)) process.exitCode = 1;

/** A smaller set of tests in Debian's Firefox: `pnpm --filter @nccl-ts/site firefox-tests`. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { launchFirefox } from './firefox.ts';
import { serve } from './serve.ts';

await using server = await serve(0);
await using firefox = await launchFirefox();
if (firefox === undefined) {
  console.log('There is no /usr/bin/firefox-esr (Debian: apt-get install firefox-esr), so nothing was tested.');
  process.exit(1);
}

const settled = `const settled = async () => {
  while (document.querySelector('.verdict')?.dataset.state === 'busy') await new Promise((next) => setTimeout(next, 20));
  return document.querySelector('.verdict').textContent;
};
const ready = async () => {
  while (document.documentElement.dataset.ready === undefined) await new Promise((next) => setTimeout(next, 20));
};
const press = (name) => [...document.querySelectorAll('#bar button')].find((one) => one.textContent === name).click();
await ready();
`;

const tests: Readonly<Record<string, readonly [path: string, body: string, expected: RegExp]>> = {
  'run shows what ranks returned': ['playground/?example=shift', `press('Run'); return settled();`, /^It ran in/],
  'check marks both lines of a race': [
    'playground/?example=weak-barrier',
    `press('Check'); return (await settled()) + document.querySelectorAll('.mark-line').length;`,
    /^Race.*2$/,
  ],
  'an endless host loop is stopped': [
    'playground/?example=shift',
    `window.playground.text = 'export async function host() { for (;;) {} }'; press('Run'); press('Stop'); return settled();`,
    /^Stopped\.$/,
  ],
  'a racy kernel in PTX is found': [
    'ptx/?case=no-end-barrier/broken',
    `document.querySelector('#check').click(); return settled();`,
    /^Race/i,
  ],
  'a barrier shows who waits for whom': [
    'barrier/',
    `document.querySelector('#on').click(); return settled();`,
    /Waiting: rank 1 for rank 0 and rank 2/,
  ],
};

for (const [name, [path, body, expected]] of Object.entries(tests)) {
  const started = Date.now();
  try {
    await firefox.goto(server.url + path);
    assert.match(String(await firefox.evaluate(settled + body)), expected);
    console.log(`ok   ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAIL ${name}\n     ${error instanceof Error ? error.message : String(error)}`);
  }
}

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { machineText } from './machine-text.ts';
import { root, site } from './folders.ts';

/** A tab of a browser that is not Chromium. */
export interface Tab extends AsyncDisposable {
  goto(url: string): Promise<void>;
  /** Evaluates the body of an async function in the page. */
  evaluate(body: string): Promise<unknown>;
}

const settled = `const settled = async () => {
  while (document.querySelector('.verdict')?.dataset.state === 'busy') await new Promise((next) => setTimeout(next, 20));
  return document.querySelector('.verdict').textContent;
};
const ready = async () => {
  while (document.documentElement.dataset.ready === undefined || (document.querySelector('#playground') !== null && document.documentElement.dataset.editor === undefined)) await new Promise((next) => setTimeout(next, 20));
};
const press = (name) => [...document.querySelectorAll('#bar button')].find((one) => one.textContent === name).click();
await ready();
`;

const tests: Readonly<Record<string, readonly [path: string, body: string, expected: RegExp]>> = {
  'run shows the results of the ranks': ['playground/?example=shift', `press('Run'); return settled();`, /^It ran in/],
  'check marks both lines of a race': [
    'playground/?example=weak-barrier',
    `press('Check'); return (await settled()) + document.querySelectorAll('.mark-line').length;`,
    /^Race.*2$/,
  ],
  'a missing barrier is added by one click': [
    'playground/?example=no-barrier',
    `press('Check'); await settled(); const before = window.playground.text; document.querySelector('.fix').click();
while (window.playground.text === before) await new Promise((next) => setTimeout(next, 20));
return await settled();`,
    /^Clean/,
  ],
  'a field of a launch edits its text': [
    'ptx/?case=no-end-barrier/broken',
    `const input = document.querySelector('#launch-fields [aria-label="Ranks"]');
input.value = '3'; input.dispatchEvent(new Event('input')); return document.querySelector('#launch-code').textContent;`,
    /ranks: 3,/,
  ],
  "a race with the host's read marks the line of the read": [
    'playground/?example=allreduce',
    `window.playground.text = window.playground.text.replace("'release'", "'relaxed'"); press('Check');
await settled(); return document.querySelector('.mark-text.mark-first')?.textContent + document.querySelector('.places').textContent;`,
    /^win\.read.*host of rank \d: read line 28/,
  ],
  'an endless host loop is stopped': [
    'playground/?example=shift',
    `window.playground.text = 'export async function host() { for (;;) {} }'; press('Run'); press('Stop'); return settled();`,
    /^Stopped\.$/,
  ],
  'a race is found in the PTX of a kernel': [
    'ptx/?case=no-end-barrier/broken',
    `document.querySelector('#check').click(); return settled();`,
    /^Race/i,
  ],
  'a barrier shows which rank waits for which': [
    'barrier/',
    `document.querySelector('#on').click(); return settled();`,
    /Waiting: rank 1 for rank 0 and rank 2/,
  ],
};

const file = `${site}results/browsers.json`;

/** Tests the features of the site that browsers may run differently. */
export async function runSmallerTests(name: string, tab: Tab, url: string): Promise<void> {
  const milliseconds: Record<string, number> = {};
  for (const [title, [path, body, expected]] of Object.entries(tests)) {
    const started = Date.now();
    try {
      await tab.goto(url + path);
      assert.match(String(await tab.evaluate(settled + body)), expected);
      milliseconds[title] = Date.now() - started;
      console.log(`ok   ${title} (${milliseconds[title]} ms)`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAIL ${title}\n     ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (Object.keys(milliseconds).length < Object.keys(tests).length) return;
  const userAgent = String(await tab.evaluate('return navigator.userAgent;'));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const before: unknown = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
  const date = new Date().toISOString().slice(0, 10);
  const command = 'npx pnpm@10.34.9 --filter @nccl-ts/site firefox-tests; the same with webkit-tests';
  const known = before instanceof Object && 'browsers' in before ? before.browsers : undefined;
  const others = Object.entries(known instanceof Object ? known : {}).filter(([other]) => other !== name);
  const browsers = Object.fromEntries([...others, [name, { userAgent, milliseconds }]]);
  const head = { commit, command, date, machine: machineText() };
  await writeFile(file, `${JSON.stringify({ ...head, browsers }, null, 2)}\n`);
}

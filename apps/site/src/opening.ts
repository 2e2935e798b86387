/**
 * Measures how long the playground takes to open: `pnpm --filter @nccl-ts/site opening [FOLDER]`.
 * It writes `results/opening.json`. If FOLDER has a second built site, the measurement alternates
 * between the two.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import process from 'node:process';
import { medianOf } from '@nccl-ts/core';
import type { Browser } from 'playwright-core';
import { machineText } from './machine-text.ts';
import { launchChromium } from './chromium.ts';
import { dist, root, site } from './folders.ts';
import { serve } from './serve.ts';
import { fast4G, SLOWER, slowDown } from './slow.ts';

const TIMES = 5;
/** The longest acceptable time until Run is enabled, in ms. */
const limits = { here: 1000, slow: 2000 } as const;
type Where = keyof typeof limits;

interface Opening {
  /** The time from the navigation, in ms. */
  readonly enabled: number;
  /** The time at which the result is shown if Run is pressed as soon as it is enabled. */
  readonly result: number;
}

/** Runs in the page before its own scripts: presses Run at once, and records the times. */
const pressAtOnce = `{
  let enabled;
  const timer = setInterval(() => {
    const run = document.querySelector('#bar button.primary');
    if (enabled === undefined && run !== null && !run.disabled) {
      enabled = performance.now();
      run.click();
    } else if (enabled !== undefined && document.querySelector('.verdict')?.dataset.state === 'good') {
      clearInterval(timer);
      document.documentElement.dataset.opening = JSON.stringify({ enabled, result: performance.now() });
    }
  }, 4);
}`;

async function open(browser: Browser, url: string, isSlow: boolean): Promise<Opening> {
  // A new browser context has an empty cache.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(pressAtOnce);
  if (isSlow) await slowDown(page);
  await page.goto(`${url}playground/`, { waitUntil: 'commit' });
  await page.waitForSelector('[data-opening]', { state: 'attached', timeout: 60_000 });
  const opening: unknown = JSON.parse((await page.getAttribute('html', 'data-opening')) ?? 'null');
  await context.close();
  assert.ok(typeof opening === 'object' && opening !== null && 'enabled' in opening && 'result' in opening);
  return { enabled: Number(opening.enabled), result: Number(opening.result) };
}

const folders = { this: dist, ...(process.argv[2] === undefined ? {} : { other: process.argv[2] }) };
const sites: { readonly name: string; readonly where: Where; readonly url: string; readonly openings: Opening[] }[] =
  [];
const servers: AsyncDisposable[] = [];
for (const [name, folder] of Object.entries(folders)) {
  const here = await serve(0, { folder });
  const slow = await serve(0, { folder, line: fast4G });
  servers.push(here, slow);
  sites.push(
    { name, where: 'here', url: here.url, openings: [] },
    { name, where: 'slow', url: slow.url, openings: [] },
  );
}
const browser = await launchChromium();
const loads: number[] = [];
for (let i = 0; i <= TIMES; i++) {
  for (const { where, url, openings } of sites) {
    const opening = await open(browser, url, where === 'slow');
    // The first round warms the browser and the servers.
    if (i > 0) openings.push(opening);
    loads.push(loadavg()[0] ?? Number.NaN);
  }
}
await browser.close();
await Promise.all(servers.map(async (server) => server[Symbol.asyncDispose]()));

const words: Readonly<Record<Where, string>> = {
  here: 'localhost',
  slow: `fast 4G and a CPU ${SLOWER} times slower`,
};
const rows = sites.map(({ name, where, openings }) => ({
  site: name,
  where: words[where],
  'until Run is enabled, ms': roundMedian(openings.map(({ enabled }) => enabled)),
  'until the result of a Run pressed then, ms': roundMedian(openings.map(({ result }) => result)),
}));
for (const row of rows) console.log(Object.values(row).join(', '));
const load = `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
console.log(`medians of ${TIMES}; load of this machine: ${load} on ${cpus().length} cores`);
await writeFile(
  `${site}results/opening.json`,
  `${JSON.stringify(
    {
      date: new Date().toISOString().slice(0, 10),
      commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
      command: 'npx pnpm@10.34.9 --filter @nccl-ts/site opening',
      machine: machineText(),
      load,
      line: fast4G,
      medians: TIMES,
      rows,
    },
    null,
    2,
  )}\n`,
);
for (const { name, where, openings } of sites) {
  if (name !== 'this') continue;
  const enabled = roundMedian(openings.map((one) => one.enabled));
  assert.ok(
    enabled <= limits[where],
    `Run is enabled only after ${enabled} ms with ${words[where]}, but the limit is ${limits[where]} ms`,
  );
}

function roundMedian(values: readonly number[]): number {
  return Math.round(medianOf(values));
}

/**
 * Measures a newcomer's first minutes in a browser: `pnpm --filter @nccl-ts/site newcomer`. It
 * writes the waiting time of each step to `results/newcomer.json`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { machineText } from './machine-text.ts';
import { launchChromium } from './chromium.ts';
import { root, site } from './folders.ts';
import { serve } from './serve.ts';
import { fast4G, slowDown } from './slow.ts';

/** A global of the page, for functions that run there. */
declare const playground: { text: string };

/** The longest acceptable wait for one step, in ms. */
const STEP = 10_000;

await using near = await serve(0);
await using far = await serve(0, { line: fast4G });
const browser = await launchChromium();

async function settled(page: Page): Promise<string> {
  await page.waitForFunction(() => {
    const state = document.querySelector('.verdict')?.getAttribute('data-state');
    return state === 'good' || state === 'bad';
  });
  return (await page.textContent('.verdict')) ?? '';
}

const steps: readonly (readonly [name: string, act: (page: Page, url: string) => Promise<void>])[] = [
  [
    'land on the home page',
    async (page, url) => {
      await page.goto(url);
      await page.waitForSelector('h1');
    },
  ],
  [
    'open the playground, until Run is enabled',
    async (page) => {
      await page.click('.doors a[href$="/playground/"]');
      await page.waitForFunction(() => document.documentElement.dataset['ready'] !== undefined);
    },
  ],
  [
    'run',
    async (page) => {
      await page.click('#bar button:text-is("Run")');
      assert.match(await settled(page), /^It ran in/);
    },
  ],
  [
    'break: choose the shift, make its barrier too weak, and check',
    async (page) => {
      await page.selectOption('select[aria-label="Example"]', 'shift');
      await page.evaluate(() => {
        playground.text = playground.text.replace("'acq_rel'", "'relaxed'");
      });
      await page.click('#bar button:text-is("Check")');
      assert.match(await settled(page), /^Race/);
    },
  ],
  [
    'fix by a click, and check again',
    async (page) => {
      for (let i = 0; i < 4 && (await page.locator('.fix').count()) > 0; i++) {
        const before = await page.evaluate(() => playground.text);
        await page.locator('.fix').first().click();
        await page.waitForFunction((old) => playground.text !== old, before);
        await settled(page);
      }
      assert.match(await settled(page), /^Clean/);
    },
  ],
  [
    'share',
    async (page) => {
      await page.click('#share');
      await page.waitForFunction(() => location.hash.startsWith('#v1'));
    },
  ],
];

async function walk(isSlow: boolean): Promise<{ readonly step: string; readonly milliseconds: number }[]> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  if (isSlow) await slowDown(page);
  const waits: { step: string; milliseconds: number }[] = [];
  for (const [step, act] of steps) {
    const started = performance.now();
    await act(page, isSlow ? far.url : near.url);
    waits.push({ step, milliseconds: Math.round(performance.now() - started) });
  }
  await page.close();
  return waits;
}

const [here, slow] = [await walk(false), await walk(true)];
await browser.close();
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const machine = machineText();
const date = new Date().toISOString().slice(0, 10);
await mkdir(`${site}results`, { recursive: true });
const command = 'npx pnpm@10.34.9 --filter @nccl-ts/site newcomer';
const result = { date, commit, command, machine, localhost: here, 'fast 4G and a CPU four times slower': slow };
await writeFile(`${site}results/newcomer.json`, `${JSON.stringify(result, null, 2)}\n`);
for (const [index, { step, milliseconds }] of here.entries()) {
  console.log(`${step}: ${milliseconds} ms, slow ${slow[index]?.milliseconds} ms`);
}
const late = [...here, ...slow].filter(({ milliseconds }) => milliseconds > STEP);
assert.deepEqual(late, [], `a step takes more than ${STEP} ms`);

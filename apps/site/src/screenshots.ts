/** Takes pictures of every kind of page: `pnpm --filter @nccl-ts/site screenshots [FOLDER]`. */
import { mkdir } from 'node:fs/promises';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { site } from './folders.ts';
import { serve } from './serve.ts';

const folder = process.argv[2] ?? `${site}dist/screenshots`;
const press = async (page: Page, name: string): Promise<void> => {
  await page.waitForFunction(() => document.documentElement.dataset['ready'] !== undefined);
  await page.click(`#bar button:text-is("${name}")`);
  await page.waitForFunction(() => document.querySelector('.verdict')?.getAttribute('data-state') !== 'busy');
};
const views: readonly { readonly name: string; readonly path: string; readonly act?: (page: Page) => Promise<void> }[] =
  [
    { name: 'home', path: '' },
    { name: 'document', path: 'docs/tutorial/first-kernel/' },
    { name: 'playground-run', path: 'playground/?example=allreduce', act: async (page) => press(page, 'Run') },
    { name: 'playground-race', path: 'playground/?example=weak-barrier', act: async (page) => press(page, 'Check') },
    {
      name: 'playground-timeline',
      path: 'playground/?example=allreduce',
      act: async (page) => {
        await press(page, 'Run');
        await page.click('[data-tab="timeline"]');
      },
    },
    {
      name: 'litmus',
      path: 'litmus/',
      act: async (page) => {
        await page.waitForSelector('#asked');
      },
    },
    { name: 'break', path: 'break/', act: async (page) => press(page, 'Check') },
    {
      name: 'barrier',
      path: 'barrier/',
      act: async (page) => {
        await page.waitForFunction(() => document.documentElement.dataset['ready'] !== undefined);
        await page.click('#on');
      },
    },
    {
      name: 'ptx',
      path: 'ptx/',
      act: async (page) => {
        await page.waitForFunction(() => document.documentElement.dataset['ready'] !== undefined);
        await page.click('#check');
        await page.waitForSelector('.verdict[data-verdict]');
      },
    },
  ];

await mkdir(folder, { recursive: true });
await using server = await serve(0);
const browser = await launchChromium();
for (const [device, viewport] of [
  ['desktop', { width: 1360, height: 850 }],
  ['phone', { width: 390, height: 844 }],
] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme });
    for (const { name, path, act } of views) {
      const page = await context.newPage();
      await page.goto(server.url + path);
      await act?.(page);
      await page.screenshot({ path: `${folder}/${name}-${device}-${colorScheme}.png` });
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
console.log(`The pictures are in ${folder}.`);

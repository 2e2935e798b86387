/**
 * Takes screenshots of every kind of page:
 * `pnpm --filter @nccl-ts/site screenshots [FOLDER [WORD]]`.
 */
import { mkdir } from 'node:fs/promises';
import process from 'node:process';
import { launchChromium } from './chromium.ts';
import { site } from './folders.ts';
import { serve } from './serve.ts';
import { devices, views } from './views.ts';

const folder = process.argv[2] ?? `${site}dist/screenshots`;
/** Only the views whose names contain this word, if it is given. */
const word = process.argv[3] ?? '';
await mkdir(folder, { recursive: true });
await using server = await serve(0);
const browser = await launchChromium();
for (const [device, viewport] of Object.entries(devices)) {
  const context = await browser.newContext({ viewport, colorScheme: 'light' });
  for (const { name, path, act } of views.filter((view) => view.name.includes(word))) {
    const page = await context.newPage();
    await page.goto(server.url + path);
    await act?.(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${device}-${colorScheme}.png` });
    }
    await page.close();
  }
  await context.close();
}
await browser.close();
console.log(`The pictures are in ${folder}.`);

/** Measures what a page loads, compressed: `pnpm --filter @nccl-ts/site sizes`. */
import process from 'node:process';
import type { Request } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { serve } from './serve.ts';

/** Limits in kB (1000 bytes) of scripts, compressed with gzip. */
const limits = [
  { what: 'scripts of a document', path: 'docs/tutorial/first-kernel/', limit: 35, isApp: false },
  { what: 'scripts of the playground until Run is enabled', path: 'playground/', limit: 550, isApp: true },
] as const;

await using server = await serve(0);
const browser = await launchChromium();
let failed = false;
for (const { what, path, limit, isApp } of limits) {
  const page = await browser.newPage();
  // The spare worker loads the same files again, once Run is enabled.
  const seen = new Set<string>();
  const pending: ReturnType<Request['sizes']>[] = [];
  page.on('requestfinished', (request) => {
    if (!request.url().endsWith('.js') || seen.has(request.url())) return;
    seen.add(request.url());
    pending.push(request.sizes());
  });
  await page.goto(server.url + path, { waitUntil: 'networkidle' });
  if (isApp) await page.waitForFunction(() => document.documentElement.dataset['ready'] !== undefined);
  const ready = isApp
    ? `, Run enabled after ${await page.evaluate(() => document.documentElement.dataset['ready'])} ms`
    : '';
  const sizes = await Promise.all(pending);
  const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  console.log(`${what}: ${(bytes / 1000).toFixed(0)} kB of ${limit} kB${ready}`);
  if (bytes > 1000 * limit) failed = true;
  await page.close();
}
await browser.close();
process.exitCode = failed ? 1 : 0;

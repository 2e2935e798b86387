/** Measures the compressed files that a page loads: `pnpm --filter @nccl-ts/site sizes`. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import type { Request } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { dist } from './folders.ts';
import { serve } from './serve.ts';

/** Limits for gzipped scripts, in kB (1000 bytes). */
const files = [{ what: 'TypeScript, in the language worker', file: 'assets/language.js', limit: 1050 }] as const;
const limits = [
  { what: 'scripts of a document', path: 'docs/tutorial/first-kernel/', limit: 70, isApp: false },
  { what: 'scripts of the landing page', path: '', limit: 70, isApp: false },
  { what: 'scripts of an API page', path: 'packages/lsa/api/', limit: 70, isApp: false },
  { what: 'scripts of the list of codes', path: 'docs/reference/codes/', limit: 70, isApp: false },
  { what: 'scripts of an exhibit', path: 'docs/museum/no-end-barrier/', limit: 70, isApp: false },
  { what: 'scripts of the playground until it can be edited and run', path: 'playground/', limit: 550, isApp: true },
] as const;

await using server = await serve(0);
const browser = await launchChromium();
let failed = false;
for (const { what, path, limit, isApp } of limits) {
  const page = await browser.newPage();
  // The spare worker loads the same files again.
  const seen = new Set<string>();
  const loaded: Request[] = [];
  page.on('requestfinished', (request) => {
    if (!request.url().endsWith('.js') || seen.has(request.url())) return;
    seen.add(request.url());
    loaded.push(request);
  });
  await page.goto(server.url + path, { waitUntil: 'networkidle' });
  if (isApp) {
    await page.waitForFunction(() => {
      const { editor, worker } = document.documentElement.dataset;
      return editor !== undefined && worker !== undefined;
    });
  }
  // The script of the check is loaded after that, so it delays nothing.
  const ready = isApp ? await page.evaluate(readyAt) : undefined;
  const sizes = await Promise.all(
    loaded.map(async (request) => ({
      bytes: (await request.sizes()).responseBodySize,
      isBefore: ready === undefined || request.timing().startTime < ready.at,
    })),
  );
  const sum = (of: typeof sizes): number => of.reduce((total, { bytes }) => total + bytes, 0);
  const bytes = sum(sizes.filter(({ isBefore }) => isBefore));
  const after = ready === undefined ? '' : `, there after ${ready.milliseconds} ms, ${kB(sum(sizes) - bytes)} later`;
  console.log(`${what}: ${kB(bytes)} of ${limit} kB${after}`);
  if (bytes > 1000 * limit) failed = true;
  await page.close();
}
await browser.close();
for (const { what, file, limit } of files) {
  const bytes = gzipSync(await readFile(`${dist}/${file}`)).length;
  console.log(`${what}: ${kB(bytes)} of ${limit} kB`);
  if (bytes > 1000 * limit) failed = true;
}
process.exitCode = failed ? 1 : 0;

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}

/**
 * Runs in the page: when the editor and the worker were ready, relative to the page's start and
 * since 1970.
 */
function readyAt(): { readonly milliseconds: number; readonly at: number } {
  const { editor, worker } = document.documentElement.dataset;
  const milliseconds = Math.max(Number(editor), Number(worker));
  return { milliseconds, at: performance.timeOrigin + milliseconds };
}

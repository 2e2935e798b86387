import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';

import { parseOutcome, type PageOutcome, type PageScope } from './page-outcome.ts';

/** The path at which Debian's package `chromium` installs it. */
const CHROMIUM = '/usr/bin/chromium';

/** The first option enables WebGPU. The others prevent network calls. */
const flags = [
  '--enable-unsafe-webgpu',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A limit for hanging tests. It is long, because shaders are compiled on the CPU. */
const TIMEOUT_MS = 600_000;

/** The reason why no browser is available here, or `undefined` if there is one. */
export function browserProblem(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM} (Debian: apt-get install chromium)`;
}

/**
 * Opens a page in headless Chromium and waits for its result.
 *
 * @throws Error if the page has no result
 */
export async function openPage(url: string, scope: PageScope): Promise<PageOutcome> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
  try {
    const page = await browser.newPage();
    const failure = new Promise<never>((_, reject) => void page.on('pageerror', reject));
    await page.goto(`${url}?scope=${scope}`);
    const found = page.waitForSelector('#outcome', { timeout: TIMEOUT_MS });
    await Promise.race([found, failure]);
    return parseOutcome((await page.textContent('#outcome')) ?? '');
  } finally {
    await browser.close();
  }
}

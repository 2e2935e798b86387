import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { TestContext } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
const flags = [
  '--enable-unsafe-webgpu',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Skips the test if there is no Chromium. In CI the test fails instead. */
export function requireChromium({ skip }: TestContext): void {
  if (existsSync(CHROMIUM)) return;
  const reason = `there is no ${CHROMIUM} (Debian: apt-get install chromium)`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.warn(`The browser test is skipped: ${reason}`);
  skip(reason);
}

/** Without `webgpu`, `navigator.gpu` exists but finds no adapter. */
export async function launchChromium({ webgpu }: { readonly webgpu: boolean } = { webgpu: true }): Promise<Browser> {
  const args = webgpu ? flags : flags.filter((flag) => flag !== '--enable-unsafe-webgpu');
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** The errors of a page, as they occur: uncaught errors and everything written to its console. */
export function problemsOf(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => problems.push(message.text()));
  return problems;
}

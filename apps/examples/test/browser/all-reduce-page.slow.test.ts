import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { servePage } from '../../src/page-server.ts';
import { launchChromium, problemsOf, requireChromium } from '../support/chromium.ts';

const timeout = 120_000;

interface Opened {
  readonly page: Page;
  readonly problems: readonly string[];
  readonly requested: readonly string[];
}

async function open(browser: Browser, url: string, viewport: { width: number; height: number }): Promise<Opened> {
  const page = await browser.newPage({ viewport });
  const problems = problemsOf(page);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(url);
  return { page, problems, requested };
}

/** Fills the form in, runs, and returns the final text of the page. */
async function outcomeOf(page: Page, form: { ranks: number; count: number; variant: string }): Promise<string> {
  await page.fill('[name=ranks]', String(form.ranks));
  await page.fill('[name=count]', String(form.count));
  await page.selectOption('[name=variant]', form.variant);
  await page.click('button');
  await page.waitForSelector('#outcome:not([hidden])', { timeout });
  return page.innerText('#outcome');
}

test('the page sums in a browser, and shows the program, the GPU and the speed', { timeout }, async (context) => {
  requireChromium(context);
  await using server = await servePage(0);
  const browser = await launchChromium();
  try {
    const { page, problems, requested } = await open(browser, server.url, { width: 1000, height: 900 });
    const text = await outcomeOf(page, { ranks: 3, count: 5000, variant: 'right' });
    expect(text).toMatch(/^PASSED\n/);
    expect(text).toContain('3, in each of 15,000 elements');
    expect(text).toMatch(/\d+\.\d ms a launch/);
    expect(text).toMatch(/\nGPU\n\S/);
    expect(await page.locator('#steps li[data-state=done]').count()).toBe(5);
    expect(await page.textContent('#wgsl code')).toContain('@compute @workgroup_size(256)');
    expect(await page.locator('#wgsl code').isVisible()).toBe(false);
    // The page runs again with other numbers.
    expect(await outcomeOf(page, { ranks: 1, count: 1, variant: 'right' })).toContain('0, in each of 1 elements');
    expect(requested.every((address) => address.startsWith(server.url) || address === 'data:,')).toBe(true);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('the page shows error reports on a narrow screen', { timeout }, async (context) => {
  requireChromium(context);
  await using server = await servePage(0);
  const browser = await launchChromium();
  try {
    const { page, problems } = await open(browser, server.url, { width: 360, height: 740 });
    const deadlock = await outcomeOf(page, { ranks: 3, count: 4096, variant: 'absent' });
    expect(deadlock).toMatch(/^NCCLTS_DEADLOCK\n/);
    expect(await page.innerText('pre#report')).toContain('missing: rank 2: no kernel launched');
    expect(await page.locator('#steps li[data-state=failed]').count()).toBe(1);
    const fault = await outcomeOf(page, { ranks: 2, count: 4096, variant: 'beyond' });
    expect(fault).toMatch(/^NCCLTS_OUT_OF_BOUNDS\n/);
    expect(await page.innerText('pre#report')).toContain('byte 16384 of window');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('the page suggests a fix without a GPU', { timeout }, async (context) => {
  requireChromium(context);
  await using server = await servePage(0);
  const browser = await launchChromium({ webgpu: false });
  try {
    const { page } = await open(browser, server.url, { width: 360, height: 740 });
    const text = await outcomeOf(page, { ranks: 2, count: 64, variant: 'right' });
    expect(text).toMatch(/^NCCLTS_WEBGPU_NO_ADAPTER\n/);
    expect(text).toContain('--enable-unsafe-webgpu');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.locator('#wgsl').isVisible()).toBe(false);
  } finally {
    await browser.close();
  }
});

test('the server serves only the page', async () => {
  await using server = await servePage(0);
  const [page, nothing, outside] = await Promise.all(
    ['', 'nothing', '../package.json'].map(async (path) => fetch(new URL(path, server.url))),
  );
  expect(page?.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(nothing?.status).toBe(404);
  expect(outside?.status).toBe(404);
});

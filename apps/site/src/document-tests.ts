import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { rankEntries } from '../search/rank-entries.ts';
import type { SearchEntry } from '../search/search-entry.ts';
import { readDocuments } from './documents.ts';
import { dist, root } from './folders.ts';
import { LONG, type Test } from './page-test.ts';

/** For each query, the pages that answer it best. */
const searches: Readonly<Record<string, readonly string[]>> = {
  barrier: ['packages/barrier/', 'barrier/'],
  LSA: ['packages/lsa/', 'packages/lsa/api/#lsa'],
  'ncclGin put': ['packages/gin/', 'packages/gin/api/#Gin.put'],
  K1005: ['docs/reference/codes/#k1005'],
  K1004: ['docs/reference/codes/#k1004'],
  deadlock: ['docs/how-to/debug-a-deadlock/', 'docs/reference/codes/#deadlock'],
  vLLM: ['docs/museum/', 'docs/how-to/check-a-cuda-kernel/'],
  'all reduce': ['packages/collectives/', 'packages/collectives/api/#allReduce'],
  Triton: ['docs/how-to/check-a-triton-kernel/'],
  playground: ['playground/'],
};

/** Tests of the documents: what VitePress renders, and the search of all pages. */
export const documentTests: Readonly<Record<string, Test>> = {
  'the best page of ten searches comes first in nine': async (page) => {
    await ready(page, 'docs/');
    await page.keyboard.press('/');
    const missed: string[] = [];
    for (const [query, best] of Object.entries(searches)) {
      await search(page, query);
      const first = (await page.getAttribute('#search-hits [role=option]', 'href')) ?? '';
      if (!best.includes(first.replace(/^\//, ''))) missed.push(`${query}: ${first}`);
    }
    console.log(`    first: ${10 - missed.length} of 10 ${missed.join(', ')}`);
    assert.ok(missed.length <= 1, missed.join('\n'));
  },
  'every code and every exported function is found first by its name': async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the build writes this file
    const entries = JSON.parse(await readFile(`${dist}/assets/search.json`, 'utf8')) as readonly SearchEntry[];
    const codes = [...(await readFile(`${root}docs/reference/codes.md`, 'utf8')).matchAll(/^### (.+)$/gm)];
    assert.ok(codes.length > 180, `${codes.length} codes`);
    for (const [, code = ''] of codes) {
      const urls = rankEntries(entries, code).map(({ entry }) => entry.url);
      const anchor = `docs/reference/codes/#${code.toLowerCase().replaceAll(/[^\w-]/g, '')}`;
      // Some words, such as a race, have a page of their own as well.
      assert.ok(urls.slice(0, /^[A-Z]/.test(code) ? 1 : 5).includes(anchor), `${code}: ${urls.slice(0, 5).join(', ')}`);
    }
    for (const [name, url] of [
      ['barrierSession', 'packages/lsa/api/#barrierSession'],
      ['createDevComm', 'packages/communicator/'],
      ['coopCta', 'packages/kernel/'],
    ] as const) {
      assert.ok(
        rankEntries(entries, name)
          .slice(0, 3)
          .some(({ entry }) => entry.url.startsWith(url)),
        name,
      );
    }
  },
  'the search opens, chooses and visits by keyboard, on every kind of page': async (page) => {
    await ready(page, 'docs/');
    await page.keyboard.press('Control+k');
    await page.waitForSelector('.site-search[open]');
    await search(page, 'K1005');
    assert.match((await page.textContent('#search-hits [role=option]')) ?? '', /K1005.*Code/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/reference/codes/#k1005');
    await page.waitForFunction(() => document.getElementById('k1005')?.closest('details')?.open === true);
    await page.keyboard.press('/');
    await search(page, 'K1004');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('k1004')?.closest('details')?.open === true);
    await page.keyboard.press('/');
    await search(page, 'xylophone');
    assert.equal(await page.textContent('.site-search [role=status]'), 'No results for “xylophone”.');
    await search(page, 'acquire');
    const chosen = page.locator('#search-hits [aria-selected="true"]');
    const first = await chosen.textContent();
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await chosen.textContent(), first);
    await page.keyboard.press('ArrowUp');
    assert.equal(await chosen.textContent(), first);
    assert.ok((await page.locator('#search-hits mark').count()) > 0);
    await page.mouse.click(4, 400);
    assert.equal(await page.locator('.site-search[open]').count(), 0);
    await ready(page, 'litmus/');
    await page.click('#search');
    await search(page, 'deadlock');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/**');
  },
  'the landing page shows the verdict and its fix without scrolling': async (page) => {
    for (const size of [
      { width: 1440, height: 900 },
      { width: 1280, height: 720 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size);
      await page.goto('about:blank');
      await ready(page, '');
      assert.equal(await page.locator('.doors a').count(), 3);
      assert.equal(await page.locator('.lanes').count(), 1);
      await page.click('nccl-play [data-action="check"]');
      await page.waitForSelector('nccl-play .verdict[data-state="bad"]', { timeout: LONG });
      await page.waitForFunction(() => {
        const box = document.querySelector('nccl-play .verdict')?.getBoundingClientRect();
        // Boxes end between pixels.
        return box !== undefined && box.top >= 0 && Math.floor(box.bottom) <= innerHeight;
      });
      if (size.width < 1000) continue;
      const [code, result] = await Promise.all(
        ['.code-pane', '.result-pane'].map(async (name) => page.locator(`nccl-play ${name}`).boundingBox()),
      );
      assert.ok(code && result && result.x >= code.x + code.width, 'the result stands beside the code');
      const fix = await page.locator('nccl-play .fix').first().boundingBox();
      assert.ok(fix && fix.y + fix.height <= Math.min(size.height, result.y + result.height), 'the fix is in sight');
    }
  },
  'a phone has the menu, the contents, and every link of the top': async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await ready(page, 'docs/tutorial/first-kernel/');
    await page.click('.VPLocalNav button.menu');
    await page.waitForSelector('.VPSidebar.open >> text=Debug a deadlock');
    await page.click('.VPSidebar.open >> text=Debug a deadlock');
    await page.waitForURL('**/docs/how-to/debug-a-deadlock/');
    await page.click('.VPLocalNavOutlineDropdown button');
    await page.waitForSelector('.VPLocalNavOutlineDropdown .outline-link');
    await ready(page, 'litmus/');
    for (const link of await page.locator('.top nav a').all()) {
      const box = await link.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, (await link.textContent()) ?? '');
    }
  },
  'an API page describes each symbol, with its NCCL name and links': async (page) => {
    await ready(page, 'packages/lsa/api/');
    const section = page.locator('[id="Lsa.pointer"]');
    await section.waitFor();
    const text = (await page.textContent('main')) ?? '';
    assert.match(text, /The address of byte offset of the window's copy/);
    assert.match(text, /NCCL: ncclGetLsaPointer/);
    assert.doesNotMatch(text, /undocumented|@public|packageDocumentation/);
    // A type of another package leads to its description.
    await page.click('.signature a:text-is("DeviceFn") >> nth=0');
    await page.waitForURL('**/packages/kernel/api/#DeviceFn');
    await page.goto('packages/lsa/#public-interface');
    await page.click('text=Every symbol that this package exports');
    await page.waitForURL('**/packages/lsa/api/');
  },
  'the list of codes has groups, a filter, and labelled snippets': async (page) => {
    await ready(page, 'docs/reference/codes/#k1004');
    await page.waitForFunction(() => document.getElementById('k1004')?.closest('details')?.open === true);
    assert.deepEqual(await page.locator('.VPDocAsideOutline .outline-link').allTextContents(), [
      'Errors',
      'Findings',
      'Kernels',
      'PTX',
    ]);
    await page.fill('.codes-filter input', 'k1005');
    // Two entries name the code.
    await page.waitForFunction(() => document.querySelectorAll('.code-entry:not([hidden])').length === 2);
    assert.match((await page.textContent('.codes-filter')) ?? '', /2 of \d+ codes/);
    const entry = page.locator('.code-entry:has(#k1005)');
    assert.deepEqual(await entry.locator('.snippet').allTextContents(), ['Wrong', 'Right']);
    assert.ok((await entry.locator('.shiki span[style]').count()) > 3);
    assert.ok(await page.evaluate(() => document.documentElement.scrollHeight < 4000));
  },
  'every document has a title, a description, an edit link, neighbours and the version': async (page) => {
    for (const { url, file } of await readDocuments()) {
      const html = await readFile(`${dist}/${url}index.html`, 'utf8');
      assert.match(html, /<title>[^<]+ · nccl-ts<\/title>/, url);
      assert.match(html, /<meta name="description" content="[^"]{20,}">/, url);
      assert.ok(html.includes(`/edit/main/${file}"`), url);
    }
    await ready(page, 'docs/how-to/debug-a-deadlock/');
    assert.equal(await page.locator('.pager-link').count(), 2);
    assert.match((await page.textContent('.VPNavBarMenu')) ?? '', /v\d+\.\d+\.\d+/);
    await page.hover('.vp-doc [class*="language-"] >> nth=0');
    assert.ok(await page.locator('.vp-doc button.copy >> nth=0').isVisible());
    await page.click('.site-footer >> text=Changelog');
    await page.waitForURL('**/packages/nccl-ts/CHANGELOG/');
    assert.ok((await page.locator('.site-footer a[href*="github.com"]').count()) > 0);
  },
  'the reference has NCCL names, the command line, the architecture, changes, questions, and pictures': async (
    page,
  ) => {
    for (const [url, wanted] of [
      ['docs/reference/nccl-names/', 'ncclCommInitRank'],
      ['apps/cli/', 'nccl-ts check'],
      ['ARCHITECTURE/', 'layers'],
      ['packages/nccl-ts/CHANGELOG/', '0.1.0'],
      ['docs/explanation/questions/', '?'],
    ] as const) {
      await ready(page, url);
      assert.ok(((await page.textContent('main')) ?? '').includes(wanted), url);
    }
    for (const name of ['memory-model-from-scratch', 'memory-model-for-cuda-programmers']) {
      await ready(page, `docs/explanation/${name}/`);
      assert.ok((await page.locator('main img, main svg[role=img]').count()) > 0, name);
    }
    await ready(page, 'docs/reference/nccl-names/');
    const table = page.locator('.vp-doc table');
    assert.ok(await table.evaluate((one) => one.scrollWidth <= one.clientWidth + 1), 'no column is out of sight');
  },
  'the buttons of programs move no text when they come': async (page) => {
    await page.addInitScript(`
      globalThis.shift = 0;
      new PerformanceObserver((list) => { for (const one of list.getEntries()) shift += one.value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    for (const url of ['docs/explanation/memory-model-from-scratch/', 'packages/lsa/', 'docs/museum/no-end-barrier/']) {
      await ready(page, url);
      await page.locator('.play-bar').first().waitFor();
      await page.waitForTimeout(300);
      const shift = Number(await page.evaluate('shift'));
      assert.ok(shift < 0.02, `${url}: a shift of ${shift}`);
    }
  },
  'an unknown address has a page with ways on': async (page) => {
    const response = await page.goto('docs/nothing/');
    assert.equal(response?.status(), 404);
    await page.waitForSelector('text=There is no such page');
    await page.waitForSelector('.search-button');
    await page.click('.NotFound a >> nth=0');
    await page.waitForSelector('.landing');
  },
  'the chosen theme is there before any script has loaded': async (page) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await ready(page, 'docs/');
    await page.evaluate(() => localStorage.setItem('vitepress-theme-appearance', 'dark'));
    await page.route('**/*.js', async (route) => route.abort());
    await page.goto('docs/checking/');
    assert.ok(await page.evaluate(() => document.documentElement.classList.contains('dark')));
    await page.goto('litmus/');
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    await page.unroute('**/*.js');
    await page.goto('litmus/');
    await page.click('#theme');
    await ready(page, 'docs/');
    assert.ok(await page.evaluate(() => !document.documentElement.classList.contains('dark')));
  },
  'the policy allows the inline scripts of the build, and no other': async (page) => {
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) problems.push(message.text());
    });
    for (const url of ['', 'docs/', 'packages/lsa/api/', 'docs/reference/codes/', 'docs/museum/no-end-barrier/']) {
      const response = await page.goto(url, { waitUntil: 'networkidle' });
      const header = response?.headers()['content-security-policy'] ?? '';
      assert.match(header, /script-src 'self'(?: 'sha256-[\w+/=]+')+; worker-src 'self'/);
      assert.equal(await page.getAttribute('meta[http-equiv]', 'content'), header);
    }
    assert.deepEqual(problems, []);
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.documentElement.dataset.foreign = "ran"';
      document.head.append(script);
    });
    assert.equal(await page.getAttribute('html', 'data-foreign'), null);
  },
  'a program runs after a walk from document to document, and opens in the playground': async (page) => {
    await ready(page, 'docs/');
    await page.click('main >> text=Your first kernel >> nth=0');
    await page.waitForURL('**/docs/tutorial/first-kernel/');
    await page.click('nccl-play >> nth=0 >> [data-action="run"]');
    await page.waitForSelector('nccl-play .verdict[data-state="good"]', { timeout: LONG });
    await page.click('.VPNavBarMenu >> text=Playground');
    await page.waitForURL('**/playground/');
    await page.waitForSelector('html[data-ready]', { state: 'attached', timeout: LONG });
    await page.goBack();
    await page.waitForURL('**/docs/tutorial/first-kernel/');
  },
  'a changed program of a document opens in the playground as it is': async (page) => {
    await ready(page, 'docs/tutorial/first-kernel/');
    await page.click('nccl-play >> nth=0 >> [data-action="run"]');
    await page.waitForSelector('nccl-play .verdict[data-state="good"]', { timeout: LONG });
    await page.click('nccl-play >> nth=0 >> .cm-line >> nth=0');
    await page.keyboard.type('// mine\n');
    await page.click('nccl-play >> nth=0 >> text=Open in the playground');
    await page.waitForURL('**/playground/#*');
    await page.waitForSelector('.cm-line:has-text("export const shift")', { timeout: LONG });
    assert.match((await page.textContent('.cm-content')) ?? '', /\/\/ mine/);
  },
  'the keyboard leads from the check of a document to its verdict': async (page) => {
    await ready(page, '');
    await page.focus('nccl-play [data-action="check"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('nccl-play .verdict[data-state="bad"]', { timeout: LONG });
    await page.waitForFunction(() => document.activeElement?.classList.contains('verdict') === true);
    // The buttons are in sight, below the header of the page.
    const box = await page.locator('nccl-play .play-bar').boundingBox();
    const header = await page.locator('.VPNav').boundingBox();
    assert.ok(box !== null && header !== null && box.y >= header.y + header.height - 1);
  },
  'words that a newcomer looks for have an answer': async (page) => {
    await ready(page, 'docs/');
    await page.keyboard.press('/');
    for (const [query, best] of [
      ['getting started', 'docs/tutorial/first-kernel/'],
      ['quick start', 'docs/tutorial/first-kernel/'],
      ['race condition', 'docs/explanation/memory-model-from-scratch/#data-races'],
    ] as const) {
      await search(page, query);
      assert.equal(await page.getAttribute('#search-hits [role=option]', 'href'), `/${best}`, query);
    }
  },
};

/** Opens a document, and waits until its scripts have started. */
async function ready(page: Page, url: string): Promise<void> {
  await page.goto(url === '' ? '/' : url);
  await page.waitForSelector('.site-search', { state: 'attached' });
}

/** Searches, and waits until the list shows the answer. */
async function search(page: Page, query: string): Promise<void> {
  await page.evaluate(() => document.querySelector('#search-hits')?.replaceChildren());
  await page.fill('#search-input', query);
  await page.waitForFunction(
    () =>
      document.querySelectorAll('#search-hits [role=option]').length > 0 ||
      (document.querySelector('.site-search [role=status]')?.textContent ?? '') !== '',
  );
}

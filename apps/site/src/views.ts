import type { EditorView } from './editor-view.ts';
import type { Page } from 'playwright-core';

/** A page in a state that a reader may see. */
export interface View {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
}

const LONG = 60_000;

/** The sizes of the screens on which pages are tested. */
export const devices = {
  desktop: { width: 1360, height: 850 },
  phone: { width: 390, height: 844 },
} as const;

/** Every kind of page. `screenshots` takes pictures of them, and a test runs axe-core on them. */
export const views: readonly View[] = [
  { name: 'home', path: '' },
  { name: 'document', path: 'docs/tutorial/first-kernel/' },
  { name: 'explanation', path: 'docs/explanation/memory-model-from-scratch/' },
  { name: 'list-of-documents', path: 'docs/' },
  { name: 'package', path: 'packages/lsa/' },
  { name: 'nccl-names', path: 'docs/reference/nccl-names/' },
  { name: 'museum-list', path: 'docs/museum/' },
  { name: 'api', path: 'packages/lsa/api/' },
  {
    name: 'codes',
    path: 'docs/reference/codes/#k1005',
    act: async (page) => void (await page.waitForSelector('.code-entry[open]')),
  },
  { name: 'no-such-page', path: 'nothing/', act: async (page) => void (await page.waitForSelector('.NotFound')) },
  {
    name: 'search',
    path: 'docs/',
    act: async (page) => {
      await page.waitForSelector('.site-search', { state: 'attached' });
      await page.keyboard.press('/');
      await page.fill('#search-input', 'barrier');
      await page.waitForSelector('#search-hits [role=option]');
    },
  },
  { name: 'playground', path: 'playground/', act: async (page) => loaded(page) },
  { name: 'playground-run', path: 'playground/?example=allreduce', act: async (page) => press(page, 'Run') },
  { name: 'playground-deadlock', path: 'playground/?example=deadlock', act: async (page) => press(page, 'Check') },
  {
    name: 'playground-host-race',
    path: 'playground/?example=allreduce',
    act: async (page) => {
      await loaded(page);
      await page.evaluate(() => {
        playground.text = playground.text.replace("bar.sync(coopCta(), 'release')", "bar.sync(coopCta(), 'relaxed')");
      });
      await press(page, 'Check');
    },
  },
  {
    name: 'playground-stale',
    path: 'playground/?example=weak-barrier',
    act: async (page) => {
      await press(page, 'Check');
      if (await page.isVisible('#side-code')) await page.click('#side-code');
      await cursorBehind(page, "bar.sync(coopCta(), 'relaxed');");
      await page.keyboard.type(' // here');
      await toResult(page);
    },
  },
  { name: 'playground-race', path: 'playground/?example=weak-barrier', act: async (page) => press(page, 'Check') },
  { name: 'playground-barrier-fix', path: 'playground/?example=no-barrier', act: async (page) => press(page, 'Check') },
  {
    name: 'playground-timeline',
    path: 'playground/?example=allreduce',
    act: async (page) => {
      await press(page, 'Run');
      await page.click('[data-tab="timeline"]');
    },
  },
  { name: 'playground-relax', path: 'playground/?example=needless', act: relaxed },
  { name: 'playground-history', path: 'playground/?example=shift', act: overTime },
  {
    name: 'playground-step-link',
    path: 'playground/?example=shift',
    act: async (page) => {
      await overTime(page);
      await toOptions(page);
      await page.click('#share');
      await page.waitForFunction(() => location.hash.includes('v=history'));
      const { origin, pathname, hash } = new URL(page.url());
      await page.goto('about:blank');
      await page.goto(`${origin}${pathname}${hash}`);
      await loaded(page);
      await toResult(page);
      await page.click('#as-sent');
      await page.waitForSelector('.history .steps', { state: 'attached', timeout: LONG });
      await loaded(page);
      await settled(page);
    },
  },
  {
    name: 'playground-executions',
    path: 'playground/?example=weak-flag',
    act: async (page) => {
      await loaded(page);
      await toOptions(page);
      await page.selectOption('select[aria-label="Ranks"]', '2');
      await toResult(page);
      await page.click('[data-tab="executions"]');
      await page.click('#go-through');
      await page.waitForSelector('.history .reads li', { timeout: LONG });
      await settled(page);
    },
  },
  {
    name: 'playground-completions',
    path: 'playground/?example=shift',
    act: async (page) => {
      await cursorBehind(page, "bar.sync(coopCta(), 'acq_rel');");
      await page.keyboard.type('\nbar.', { delay: 30 });
      await page.waitForSelector('.cm-tooltip-autocomplete >> text=arrive', { timeout: LONG });
    },
  },
  {
    name: 'playground-signature',
    path: 'playground/?example=shift',
    act: async (page) => {
      await cursorBehind(page, "bar.sync(coopCta(), 'acq_rel');");
      await page.keyboard.type('\nbar.sync(', { delay: 30 });
      await page.waitForSelector('.signature >> text=coop', { timeout: LONG });
    },
  },
  {
    name: 'playground-types',
    path: 'playground/?example=shift',
    act: async (page) => {
      await loaded(page);
      const types = page.locator('.cm-tooltip-hover .types:has-text("const mine")');
      // The first move loads TypeScript; a later one queries it.
      for (let i = 0; i < 40 && (await types.count()) === 0; i++) {
        await page.hover('.cm-line:has-text("mine.store")', { position: { x: 44 + (i % 8), y: 8 } });
        await types.waitFor({ timeout: 1500 }).catch(() => {});
      }
      await types.waitFor({ timeout: 1500 });
    },
  },
  {
    name: 'playground-error',
    path: 'playground/?example=shift',
    act: async (page) => {
      await cursorBehind(page, 'mine.load(threadIdx.x) * 2');
      await page.keyboard.type(' + Math.max(1, 2)', { delay: 5 });
      await page.waitForSelector('.cm-lintRange-error', { timeout: LONG });
      await hoverUntil(page, '.cm-lintRange-error', '.cm-tooltip-lint');
    },
  },
  {
    name: 'playground-emitted',
    path: 'playground/?example=shift',
    act: async (page) => {
      await loaded(page);
      await toResult(page);
      await page.click('[data-tab="emitted"]');
      await page.waitForSelector('.emitted .cm-content:has-text("__global__")', { timeout: LONG });
    },
  },
  {
    name: 'litmus',
    path: 'litmus/',
    act: async (page) => void (await page.waitForSelector('#asked', { timeout: LONG })),
  },
  { name: 'break', path: 'break/', act: async (page) => press(page, 'Check') },
  {
    name: 'barrier',
    path: 'barrier/',
    act: async (page) => {
      await loaded(page);
      await page.click('#on');
    },
  },
  {
    name: 'algorithms',
    path: 'algorithms/?name=ring',
    act: async (page) => {
      await press(page, 'Run');
      await page.click('#compare');
      await page.waitForSelector('#compared', { timeout: LONG });
      await page.locator('#links').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'ptx',
    path: 'ptx/',
    act: async (page) => {
      await loaded(page);
      await page.click('#check');
      await page.waitForSelector('.verdict[data-verdict]', { timeout: LONG });
    },
  },
  {
    name: 'ptx-shape',
    path: 'ptx/?case=ring',
    act: async (page) => {
      await loaded(page);
      await page.locator('[aria-label="Form of parameter 0"]').waitFor({ timeout: LONG });
    },
  },
  {
    name: 'ptx-stale',
    path: 'ptx/',
    act: async (page) => {
      await loaded(page);
      await page.click('#check');
      await page.waitForSelector('.verdict[data-verdict]', { timeout: LONG });
      await page.fill('#launch-fields [aria-label="Ranks"]', '3');
    },
  },
  {
    name: 'museum',
    path: 'docs/museum/no-end-barrier/',
    act: async (page) => {
      await page.click('nccl-exhibit [data-variant="broken"]');
      await page.waitForSelector('nccl-exhibit .verdict[data-verdict]', { timeout: LONG });
      await page.locator('nccl-exhibit').scrollIntoViewIfNeeded();
    },
  },
];

/** Waits until the page responds and its editor has loaded. */
export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const { ready, editor } = document.documentElement.dataset;
      return ready !== undefined && (editor !== undefined || document.querySelector('#playground') === null);
    },
    null,
    { timeout: LONG },
  );
}

/** Waits until no request is running. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.verdict')?.getAttribute('data-state') !== 'busy', null, {
    timeout: LONG,
  });
}

async function press(page: Page, name: string): Promise<void> {
  await loaded(page);
  await page.click(`#bar button:text-is("${name}")`);
  await settled(page);
}

/** Opens the results, which are behind a button on a phone. */
async function toResult(page: Page): Promise<void> {
  if (await page.isVisible('#side-result')) await page.click('#side-result');
}

/** On a phone the options stand behind a button as well. */
async function toOptions(page: Page): Promise<void> {
  if (await page.isVisible('#more')) await page.click('#more');
}

/** Points at an element until a tooltip is there: an analysis that ends meanwhile takes it away. */
async function hoverUntil(page: Page, selector: string, shown: string): Promise<void> {
  const tooltip = page.locator(shown).first();
  for (let i = 0; i < LONG / 1000 && !(await tooltip.isVisible()); i++) {
    await page.mouse.move(0, 0);
    await page.hover(selector);
    await Promise.race([tooltip.waitFor(), page.waitForTimeout(1000)]);
  }
  await tooltip.waitFor();
}

async function relaxed(page: Page): Promise<void> {
  await loaded(page);
  await toResult(page);
  await page.click('[data-tab="relax"]');
  await page.click('#relax');
  await page.waitForSelector('#apply-offers', { timeout: LONG });
}

async function overTime(page: Page): Promise<void> {
  await press(page, 'Run');
  await page.click('.over-time');
  await page.waitForSelector('.history .steps', { timeout: LONG });
  await settled(page);
  for (let i = 0; i < 2; i++) await page.click('[aria-label="Turn after"]');
}

/** Puts the cursor after a part of the program. */
async function cursorBehind(page: Page, part: string): Promise<void> {
  await loaded(page);
  await page.evaluate((wanted) => {
    const { view } = playground.editor;
    const anchor = view.state.doc.toString().indexOf(wanted) + wanted.length;
    view.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.focus();
  }, part);
}

/** A global of the page, for functions that run there. */
declare const playground: { text: string; readonly editor: { readonly view: EditorView } };

import type { EditorView } from './editor-view.ts';
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { examples } from '../page/examples.ts';
import { LONG, open, press, textOf, verdict, type Test } from './page-test.ts';
import { loaded } from './views.ts';

/** The page's own object, in functions that run there. */
declare const playground: { text: string; readonly editor: { readonly view: EditorView } };

/** Types at the end of the program, as a reader does. */
async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.evaluate(() => {
    const { view } = playground.editor;
    view.dispatch({ selection: { anchor: view.state.doc.toString().length } });
    view.focus();
  });
  await page.keyboard.type(text);
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await loaded(page);
}

/** A fragment with a text that is compressed as the page does. */
async function fragment(page: Page, head: string, bytes: number): Promise<string> {
  return page.evaluate(
    async ([start, size]) => {
      const stream = new Blob(['x'.repeat(size)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
      const packed = new Uint8Array(await new Response(stream).arrayBuffer());
      let binary = '';
      for (const byte of packed) binary += String.fromCodePoint(byte);
      return `#${start};c=${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
    },
    [head, bytes] as const,
  );
}

/** The tests of what a reader writes, and of links. */
export const keptTests: Readonly<Record<string, Test>> = {
  'what the reader has written survives a reload, another page and another visit': async (page) => {
    await open(page, 'playground/?example=shift');
    await typeAtEnd(page, '// mine');
    await page.selectOption('select[aria-label="Ranks"]', '3');
    await page.waitForTimeout(300);
    await reload(page);
    assert.match(await textOf(page), /\/\/ mine$/);
    assert.equal(await page.inputValue('select[aria-label="Ranks"]'), '3');
    await page.goto('litmus/');
    await page.goBack();
    await loaded(page);
    assert.match(await textOf(page), /\/\/ mine$/);
    // Another visit without an address of its own begins with it.
    await page.evaluate(() => sessionStorage.clear());
    await open(page, 'playground/');
    assert.match(await textOf(page), /\/\/ mine$/);
    // An address with an example shows that, and the reader's program is in the menu.
    await open(page, 'playground/?example=flag');
    assert.equal(await textOf(page), examples.find(({ name }) => name === 'flag')?.text);
    await page.selectOption('#earlier', { index: 1 });
    assert.match(await textOf(page), /\/\/ mine$/);
  },
  'the choice of an example is in the address, can be undone, and the way back leads to the text before': async (
    page,
  ) => {
    await open(page, 'playground/?example=shift');
    await typeAtEnd(page, '// mine');
    await page.selectOption('select[aria-label="Example"]', 'flag');
    assert.match(page.url(), /\?example=flag$/);
    assert.equal(await textOf(page), examples.find(({ name }) => name === 'flag')?.text);
    await page.keyboard.press('Control+z');
    assert.match(await textOf(page), /\/\/ mine$/);
    assert.equal(await page.inputValue('select[aria-label="Example"]'), '');
    await page.selectOption('select[aria-label="Example"]', 'two-nodes');
    assert.equal(await page.inputValue('select[aria-label="Machine"]'), '2');
    await page.goBack();
    assert.match(await textOf(page), /\/\/ mine$/);
    await page.goForward();
    assert.equal(await textOf(page), examples.find(({ name }) => name === 'two-nodes')?.text);
  },
  'a shared program runs nothing before a press, and a reload keeps later changes': async (page) => {
    await open(page, 'playground/?example=no-barrier');
    await press(page, 'Run');
    await verdict(page);
    await typeAtEnd(page, "\nconsole.log('loaded');");
    await press(page, 'Run');
    await verdict(page);
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#v1'));
    const hash = await page.evaluate(() => location.hash);
    await open(page, `playground/${hash}`);
    await page.waitForTimeout(600);
    assert.match(await verdict(page), /comes from a link\. Nothing of it has run/);
    assert.equal(await page.locator('.memory').count(), 0);
    await typeAtEnd(page, '// later');
    await page.waitForTimeout(300);
    await reload(page);
    assert.match(await textOf(page), /\/\/ later$/);
    assert.equal(await page.locator('#as-sent').count(), 0);
  },
  'damaged, newer and huge links say so, and the page stays usable': async (page) => {
    await open(page, 'playground/');
    const huge = await fragment(page, 'v1;r=4;s=1;n=1', 100_000_000);
    const odd = await fragment(page, 'v1;r=999;s=-4;n=x', 10);
    for (const [hash, expected] of [
      ['#v1;r=4;s=1;n=1;c=%%%%', /^This link is damaged/],
      ['#v1;r=4;s=1;n=1;c=K0gs', /^This link is damaged/],
      ['#v1;r=4', /^This link is damaged/],
      ['#v9;foo', /^This link is of another version of the site \(v9\)/],
      [huge, /^This link holds more than a megabyte/],
    ] as const) {
      const started = Date.now();
      await open(page, `playground/${hash}`);
      assert.match(await verdict(page), expected);
      assert.ok(Date.now() - started < 8000, `${hash.slice(0, 30)}: ${Date.now() - started} ms`);
    }
    // A link without a text of the page shows the page's own.
    assert.match(await textOf(page), /export async function host/);
    await open(page, `playground/${odd}`);
    assert.equal(await textOf(page), 'xxxxxxxxxx');
    assert.equal(await page.inputValue('select[aria-label="Ranks"]'), '4');
    assert.equal(await page.inputValue('input[aria-label="Seed"]'), '1');
    assert.equal(await page.inputValue('select[aria-label="Machine"]'), '1');
  },
  'a litmus test that is stopped says so once': async (page) => {
    await page.goto('litmus/');
    await page.waitForSelector('#asked', { timeout: LONG });
    await page.click('#litmus-code .cm-content');
    await page.keyboard.press('Control+a');
    const writes = Array.from({ length: 6 }, (_, i) => `  x = ${i + 1}`).join('\n');
    await page.keyboard.insertText(
      Array.from({ length: 4 }, (_, i) => `thread T${i} on rank ${i}\n${writes}\n  a${i} = x\n`).join('\n'),
    );
    await page.click('#enumerate');
    await page.click('#bar button:text-is("Stop"), #litmus-bar button:text-is("Stop")');
    await page.waitForFunction(
      () => document.querySelector('#outcomes .verdict')?.getAttribute('data-state') !== 'busy',
    );
    assert.equal((await page.textContent('#outcomes .verdict')) ?? '', 'Stopped.');
  },
  'a litmus test and a task are kept and have addresses, and a litmus test is shared': async (page) => {
    await page.goto('litmus/');
    await page.waitForSelector('#asked', { timeout: LONG });
    await page.selectOption('#test', { index: 3 });
    const name = await page.inputValue('#test');
    assert.ok(page.url().endsWith(`?test=${name}`));
    await page.click('#litmus-code .cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n# mine');
    await page.waitForTimeout(300);
    await page.reload();
    await page.waitForSelector('.cm-content:has-text("# mine")', { timeout: LONG });
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#v1'));
    const hash = await page.evaluate(() => location.hash);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.goto('about:blank');
    await page.goto(`litmus/${hash}`);
    await page.waitForSelector('.cm-content:has-text("# mine")', { timeout: LONG });
    await open(page, 'break/');
    await page.click('[data-task="no-barrier"]');
    assert.ok(page.url().endsWith('?task=no-barrier'));
    await typeAtEnd(page, '// mine');
    await page.click('[data-task="no-last-barrier"]');
    await page.click('[data-task="no-barrier"]');
    assert.match(await textOf(page), /\/\/ mine$/);
    await page.waitForTimeout(300);
    await open(page, 'break/?task=no-barrier');
    assert.match(await textOf(page), /\/\/ mine$/);
    await page.click('#anew');
    assert.doesNotMatch(await textOf(page), /\/\/ mine$/);
  },
};

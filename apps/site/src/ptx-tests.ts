import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { root } from './folders.ts';
import { LONG, open, type Test } from './page-test.ts';
import { shapes } from './shapes.ts';

/** A kernel with an array of pointers to the peers, as nvcc compiles `ring.cu`. */
const ring = `.version 8.5
.target sm_90
.address_size 64
.visible .entry ring(.param .u64 ring_param_0, .param .u32 ring_param_1, .param .u32 ring_param_2)
{
  .reg .b32 %r<10>; .reg .b64 %rd<10>;
  .loc 1 4 3
  ld.param.u64 %rd1, [ring_param_0];
  ld.param.u32 %r1, [ring_param_1];
  ld.param.u32 %r2, [ring_param_2];
  cvta.to.global.u64 %rd1, %rd1;
  .loc 1 5 3
  add.s32 %r3, %r1, 1;
  rem.s32 %r3, %r3, %r2;
  mul.wide.s32 %rd2, %r3, 8;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u64 %rd4, [%rd3];
  cvta.to.global.u64 %rd4, %rd4;
  .loc 1 6 3
  st.global.u32 [%rd4], %r1;
  .loc 1 7 3
  mul.wide.s32 %rd5, %r1, 8;
  add.s64 %rd6, %rd1, %rd5;
  ld.global.u64 %rd7, [%rd6];
  cvta.to.global.u64 %rd7, %rd7;
  ld.global.u32 %r4, [%rd7];
  st.global.u32 [%rd7+4], %r4;
  ret;
}
.file 1 "ring.cu"
`;

const cuda = `#include <cstdint>
// Each rank writes to the next one.
extern "C" __global__ void ring(unsigned* const* inbox, int rank, int nRanks) {
  unsigned* const* all = inbox;
  unsigned* next = all[(rank + 1) % nRanks];
  *next = rank;
  inbox[rank][1] = inbox[rank][0];
}
`;

const launchText = async (page: Page): Promise<string> => {
  await page.click('#launch-as-text');
  const lines = await page.locator('#launch-code .cm-line').allTextContents();
  await page.click('#launch-as-fields');
  return lines.join('\n');
};

/** Replaces the text of an editor as a paste does. */
async function paste(page: Page, pane: string, text: string): Promise<void> {
  await page.click(`${pane} .cm-content`);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

const verdict = async (page: Page): Promise<string> => {
  await page.waitForFunction(
    () => (document.querySelector('#ptx-result .verdict')?.getAttribute('data-state') ?? 'busy') !== 'busy',
    null,
    {
      timeout: LONG,
    },
  );
  return (await page.textContent('#ptx-result .verdict')) ?? '';
};

/** The tests of the page for PTX. */
export const ptxTests: Readonly<Record<string, Test>> = {
  'pasted PTX is described at once, its findings are shown in its own texts, and a link brings all back': async (
    page,
  ) => {
    await open(page, 'ptx/?case=no-end-barrier/broken');
    assert.match((await page.textContent('#cuda-code')) ?? '', /__global__/);
    await paste(page, '#ptx-code', ring);
    // The source of the example does not belong to it.
    assert.equal((await page.textContent('#cuda-code .cm-content')) ?? '', '');
    assert.equal(await page.inputValue('#case'), '');
    await page.waitForFunction(
      () =>
        document.querySelector('#launch-code, #launch-fields')?.textContent?.includes('Fill in') ||
        document.querySelector('#ptx-bar')?.textContent?.includes('The launch is described'),
      null,
      { timeout: LONG },
    );
    // The cursor is at the entry, whatever stands before it.
    assert.match((await page.textContent('#ptx-code .cm-activeLine')) ?? '', /\.entry ring/);
    // With the source, parameters have its names, and the peers' pointers are a table.
    await paste(page, '#cuda-code', cuda);
    await page.locator('.launch-kind b:text-is("inbox")').waitFor({ timeout: LONG });
    // The names come before the new description, which a run of the kernel completes.
    await expectSoon(async () => (await launchText(page)).includes('inboxMemory'));
    assert.equal(await page.inputValue('[aria-label="Form of parameter 0"]'), 'peers');
    assert.match(await launchText(page), /alloc\('inbox\w*', ptr, peers\(/);
    const asked = page.locator('#launch-fields input.asked');
    for (let i = await asked.count(); i > 0; i--) await asked.first().fill('0');
    await page.click('#check');
    assert.match(await verdict(page), /^Race/);
    const marked = await page.locator('#cuda-code .mark-line').allTextContents();
    assert.ok(marked.length > 0 && marked.every((line) => /\*next = rank|inbox\[rank\]/.test(line)), marked.join('\n'));
    assert.equal(await page.locator('#ptx-code .mark-line').count(), 0);
    // Without the source, the PTX shows the lines.
    await paste(page, '#cuda-code', ' ');
    assert.equal(await page.getAttribute('#ptx-result', 'data-stale'), 'true');
    await page.click('#check');
    assert.match(await verdict(page), /^Race/);
    assert.match((await page.textContent('#ptx-result')) ?? '', /The lines are those of ring\.cu\. Paste it below/);
    assert.ok((await page.locator('#ptx-code .mark-line').count()) > 0);
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#v1'));
    const [hash, launch] = [await page.evaluate(() => location.hash), await launchText(page)];
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await open(page, `ptx/${hash}`);
    assert.match((await page.textContent('#ptx-code .cm-content')) ?? '', /\.entry ring/);
    assert.equal(await launchText(page), launch);
  },
  'the page opens at its top, also on a phone, and nothing moves while it loads': async (page) => {
    await page.addInitScript(`
      globalThis.shift = 0;
      new PerformanceObserver((list) => { for (const one of list.getEntries()) shift += one.value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 412, height: 823 },
    ]) {
      await page.setViewportSize(viewport);
      await open(page, 'ptx/');
      await page.waitForTimeout(300);
      assert.equal(await page.evaluate(() => scrollY), 0);
      assert.match((await page.textContent('#ptx-code .cm-activeLine')) ?? '', /\.entry/);
      const shift = Number(await page.evaluate('shift'));
      assert.ok(shift < 0.1, `a shift of ${shift}, ${viewport.width} px wide`);
    }
  },
  'a value that only the author knows is asked for, and a check goes to its field': async (page) => {
    await open(page, 'ptx/');
    await page.selectOption('#case', '');
    assert.match((await page.textContent('#ptx-result')) ?? '', /Paste PTX/);
    await paste(page, '#ptx-code', ring.replaceAll('ring_param_1', 'ring_param_2'));
    await page.locator('#launch-fields input.asked').first().waitFor({ timeout: LONG });
    await page.click('#check');
    assert.match(await verdict(page), /fill in the marked fields/);
    assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('asked')));
    await page.keyboard.type('rank');
    assert.match(await launchText(page), /\brank\b/);
  },
  'every form of every parameter leaves a text that runs': async (page) => {
    await open(page, 'ptx/');
    await page.selectOption('#case', '');
    await paste(page, '#ptx-code', ring);
    await page.locator('[aria-label="Form of parameter 2"]').waitFor({ timeout: LONG });
    const form = (i: number): Locator => page.locator(`[aria-label="Form of parameter ${i}"]`);
    await page.click('#add-memory');
    await page
      .locator('[aria-label="Memory 0: Elements"], [aria-label="Memory 1: Elements"]')
      .first()
      .waitFor({ timeout: LONG });
    const settled = async (): Promise<void> =>
      page.locator('#launch-fields:not([aria-busy])').waitFor({ timeout: LONG });
    for (const kind of ['scalar', 'peers', 'buffer', 'peers', 'bytes', 'peers']) {
      // Without a pause: each change needs the text that the one before it leaves.
      for (const i of [0, 1, 2]) await form(i).selectOption(kind);
      await settled();
      for (const i of [0, 1, 2]) assert.equal(await form(i).inputValue(), kind, `parameter ${i}`);
      // The kernel may do anything with such arguments, but the launch is no program that fails.
      await page.click('#check');
      assert.doesNotMatch(await verdict(page), /^(?:Reference|Syntax|Type)Error/, kind);
    }
    // Memory to which nothing points any more can go.
    for (const i of [0, 1, 2]) await form(i).selectOption('scalar');
    await settled();
    const remove = page.locator('[aria-label^="Remove "]');
    const unused = await remove.count();
    assert.ok(unused > 0, await launchText(page));
    await remove.first().click();
    await settled();
    assert.equal(await remove.count(), unused - 1);
  },
  'a guessed launch says so beside a clean verdict, and two pointers can lead to the same memory': async (page) => {
    const folder = `${root}apps/cli/test/fixtures/newcomer/`;
    const ptx = await readFile(`${folder}all-reduce.ptx`, 'utf8');
    const described = async (): Promise<void> => {
      await expectSoon(async () => (await page.textContent('#ptx-bar [role=status]')) === 'The launch is described.');
      await page.locator('#launch-fields:not([aria-busy])').waitFor({ timeout: LONG });
    };
    const checked = async (): Promise<string> => {
      await page.click('#check');
      return verdict(page);
    };
    await open(page, 'ptx/');
    await page.selectOption('#case', '');
    await paste(page, '#ptx-code', ptx.replaceAll('st.relaxed.sys', 'st.release.sys'));
    await paste(page, '#cuda-code', await readFile(`${folder}all-reduce.cu`, 'utf8'));
    await page.locator('.launch-kind b:text-is("mine")').waitFor({ timeout: LONG });
    await described();
    // The kernel writes where its peers read, which the guess has found.
    assert.match(await launchText(page), /\bdata,\s+out,/);
    assert.match(await checked(), /^Clean/);
    assert.match((await page.textContent('#ptx-result .guess')) ?? '', /choose that memory for both/);
    await paste(page, '#ptx-code', ptx);
    await described();
    assert.match(await checked(), /^Race/);
    assert.equal(await page.locator('#ptx-result .guess').count(), 0);
    // With memory of its own, no check sees that, until the same memory is chosen again.
    const form = page.locator('[aria-label="Form of parameter 1"]');
    for (const kind of ['scalar', 'buffer']) {
      await form.selectOption(kind);
      await page.locator('#launch-fields:not([aria-busy])').waitFor({ timeout: LONG });
    }
    assert.doesNotMatch(await launchText(page), /\bdata,\s+out,/);
    await form.selectOption({ label: 'the memory data' });
    await page.locator('#launch-fields:not([aria-busy])').waitFor({ timeout: LONG });
    assert.match(await launchText(page), /\bdata,\s+out,/);
    assert.match(await checked(), /^Race/);
  },
  'six shapes to start from are in the menu, and each has its verdict': async (page) => {
    const all = await shapes();
    assert.equal(all.length, 6);
    await open(page, 'ptx/');
    for (const { name, title, verdict: expected } of all) {
      await page.selectOption('#case', { label: title });
      assert.ok(page.url().endsWith(`?case=${name}`));
      await page.locator('[aria-label="Form of parameter 0"]').waitFor({ timeout: LONG });
      await page.click('#check');
      await verdict(page);
      assert.equal(await page.getAttribute('#ptx-result .verdict', 'data-verdict'), expected, name);
    }
    // A change of its text is judged: the flags no longer release what is before them.
    await page.selectOption('#case', 'flag-barrier');
    const { ptx = '' } = all.find(({ name }) => name === 'flag-barrier') ?? {};
    await paste(page, '#ptx-code', ptx.replaceAll('st.release.sys', 'st.relaxed.sys'));
    await page.click('#check');
    assert.match(await verdict(page), /^Race/);
  },
  'a museum case is in the address, and what the reader had can be restored': async (page) => {
    await open(page, 'ptx/');
    const text = await readFile(`${root}apps/examples/museum/grid-barrier/kernel.ptx`, 'utf8');
    await paste(page, '#ptx-code', text.replaceAll('kernel.cu', 'mine.cu'));
    await page.waitForTimeout(400);
    await page.selectOption('#case', 'no-end-barrier/mended');
    assert.match(page.url(), /\?case=no-end-barrier\/mended$/);
    await page.click('#restore');
    assert.match((await page.textContent('#ptx-code')) ?? '', /./);
    await page.waitForTimeout(400);
    await page.reload();
    await page.waitForSelector('#check', { timeout: LONG });
    await page.click('#check');
  },
  'a field can be emptied and filled again, and an expression keeps its field': async (page) => {
    await open(page, 'ptx/?case=no-end-barrier/broken');
    const field = (label: string): Locator => page.locator(`#launch-fields [aria-label="${label}"]`);
    for (const [label, value] of [
      ['Launches', '3'],
      ['Ranks', '3'],
      ['count', '2 * 2'],
      ['Memory 0: Elements', '9'],
    ] as const) {
      await field(label).fill('');
      // The form is read again after a pause.
      await page.waitForTimeout(400);
      await field(label).pressSequentially(value);
      await page.waitForTimeout(400);
      assert.equal(await field(label).inputValue(), value);
    }
    assert.equal(await page.locator('#launch-fields .launch-problem').isVisible(), false);
    await field('Ranks').fill('');
    await page.click('#check');
    await page.waitForSelector('.verdict[data-verdict="race"]', { timeout: LONG });
    assert.match((await page.textContent('#launch-code')) ?? '', /ranks: undefined,/);
    assert.equal(await field('Ranks').getAttribute('placeholder'), '2, 3 and 4');
  },
  'a clean verdict says that nothing was compared, and a field takes the result': async (page) => {
    await open(page, 'ptx/?case=no-end-barrier/mended');
    const expected = page.locator('#launch-fields [aria-label="Expected result"]');
    await expected.fill('');
    await page.click('#check');
    await page.waitForSelector('.verdict[data-verdict="clean"]', { timeout: LONG });
    assert.equal(await page.locator('#uncompared').count(), 1);
    await expected.fill('out.equals(() => 12345)');
    await page.click('#check');
    await page.waitForSelector('.verdict[data-state="bad"]', { timeout: LONG });
    assert.match((await page.textContent('#ptx-result')) ?? '', /expects 12345/);
  },
  'CUDA C++ in the place of PTX is called so': async (page) => {
    await open(page, 'ptx/');
    await page.selectOption('#case', '');
    await page.click('#ptx-code .cm-content');
    await page.keyboard.insertText('#include <cuda_runtime.h>\n__global__ void kernel(int *a) { a[0] = 1; }\n');
    await page.click('#check');
    await page.waitForSelector('.verdict[data-state="bad"]', { timeout: LONG });
    assert.match((await page.textContent('.verdict')) ?? '', /it is CUDA C\+\+: compile it with nvcc -ptx/);
  },
};

/** Waits until a condition holds. */
async function expectSoon(holds: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + LONG; Date.now() < until;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail('the condition never holds');
}

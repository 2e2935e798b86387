import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { litmusTests } from '../page/litmus-tests.ts';
import { tasks } from '../page/tasks.ts';
import { accessibilityProblems } from './accessibility.ts';
import { readDocuments } from './documents.ts';
import { embedHosts } from './embed-hosts.ts';
import { museumCases } from './museum.ts';
import { LONG, open, press, type, verdict, type Test } from './page-test.ts';
import { devices, views } from './views.ts';

/** The tests of all pages but the playground. */
export const pageTests: Readonly<Record<string, Test>> = {
  'the litmus page answers as the table of the memory model': async (page) => {
    await page.goto('litmus/');
    for (const { name, isAllowed } of litmusTests) {
      await page.waitForSelector('#test', { timeout: LONG });
      await page.evaluate(() => document.querySelector('#asked')?.remove());
      await page.selectOption('#test', { value: name });
      await page.dispatchEvent('#test', 'change');
      await page.waitForSelector('#asked', { timeout: LONG });
      await page.waitForFunction(
        () => document.querySelector('#outcomes p')?.textContent?.includes('outcomes') === true,
      );
      const answer = (await page.textContent('#asked')) ?? '';
      assert.match(answer, isAllowed ? /allowed$/ : /forbidden$/, name);
    }
  },
  'every task begins unsolved, and its solution solves it': async (page) => {
    assert.deepEqual(
      (['break', 'repair'] as const).map((kind) => tasks.filter((task) => task.kind === kind).length),
      [10, 10],
    );
    await open(page, 'break/');
    for (const { name, kind } of tasks) {
      await page.click(`[data-task="${name}"]`);
      await press(page, 'Check');
      await page.waitForFunction(() => document.querySelector('.answer')?.textContent !== '', null, { timeout: LONG });
      assert.match((await page.textContent('.answer')) ?? '', /^Not yet/, name);
      await page.evaluate(() => document.querySelector('.answer')?.replaceChildren());
      await page.click('#solve');
      await page.waitForFunction(() => document.querySelector('.answer')?.textContent !== '', null, { timeout: LONG });
      assert.equal(
        await page.textContent('.answer'),
        kind === 'break' ? 'Broken. Findings shows how.' : 'Repaired.',
        name,
      );
    }
    assert.equal(await page.locator('.task:has-text("✓")').count(), tasks.length);
  },
  'a repair that computes nothing does not count': async (page) => {
    await open(page, 'break/?task=no-barrier');
    await type(page, 'export async function host() { return [0]; }');
    await press(page, 'Check');
    await page.waitForFunction(() => document.querySelector('.answer')?.textContent !== '', null, { timeout: LONG });
    assert.match((await page.textContent('.answer')) ?? '', /^Not yet: .* launched no kernel/);
    const { solved = '' } = tasks.find(({ name }) => name === 'no-barrier') ?? {};
    await type(page, solved.replace(/return \(await .*;/, 'return [0];'));
    await press(page, 'Check');
    await page.waitForFunction(() => document.querySelector('.answer')?.textContent !== '', null, { timeout: LONG });
    assert.match((await page.textContent('.answer')) ?? '', /results are wrong/);
  },
  'a barrier shows who waits for whom': async (page) => {
    await open(page, 'barrier/');
    await page.click('#on');
    assert.match(
      (await page.textContent('.verdict')) ?? '',
      /Rank 1 has arrived.*Waiting: rank 1 for rank 0 and rank 2\./,
    );
    assert.ok(await page.locator('[data-rank="1"]').isDisabled());
    await page.click('#on');
    assert.match((await page.textContent('.verdict')) ?? '', /Waiting: rank 0 for rank 2; rank 1 for rank 2\./);
    await page.click('#on');
    assert.match((await page.textContent('.verdict')) ?? '', /No rank waits/);
    await page.click('[data-rank="0"]');
    await page.waitForFunction(() => document.querySelector('.verdict')?.textContent?.includes('for the second time'));
  },
  'four ways to sum are clean, and count the bytes on each link': async (page) => {
    const bytes = 4096;
    // The bytes that a rank loads from and stores to the next one. Barriers store words besides.
    const expected: Readonly<Record<string, readonly [loads: number, stores: number]>> = {
      'one-shot': [bytes, 0],
      'two-shot': [bytes / 4, bytes / 4],
      ring: [0, 0],
      ll: [0, 2 * bytes],
    };
    for (const [name, [loads, stores]] of Object.entries(expected)) {
      await open(page, `algorithms/?name=${name}`);
      await press(page, 'Run');
      assert.match(await verdict(page), /^It ran in/);
      assert.match((await page.textContent('.panel')) ?? '', /rank 3\[10, 10, 10, 10\]/);
      const next = numbersOf(await page.locator('[data-link="0 1"] span').allTextContents());
      assert.equal(next[0], loads, name);
      const words = (next[1] ?? Number.NaN) - stores;
      assert.ok(words >= 0 && words < 512, `${name}: ${words} bytes of barriers`);
      const before = numbersOf(await page.locator('[data-link="0 3"] span').allTextContents());
      if (name === 'ring') assert.equal(before[0], (6 * bytes) / 4);
      await press(page, 'Check');
      assert.match(await verdict(page), /^Clean/, name);
    }
    await page.click('#predict');
    await page.waitForSelector('#times .verdict[data-state="good"]', { timeout: LONG });
    assert.match((await page.textContent('#times .verdict')) ?? '', /^\d+\.\d\d µs on H100 GPUs\.$/);
  },
  'pasted PTX of a racy kernel is found, and the mended one is clean': async (page) => {
    for (const [name, expected] of [
      ['broken', 'race'],
      ['mended', 'clean'],
    ] as const) {
      await open(page, `ptx/?case=no-end-barrier/${name}`);
      await page.click('#check');
      await page.waitForSelector('.verdict[data-verdict]', { timeout: LONG });
      assert.equal(await page.getAttribute('.verdict', 'data-verdict'), expected);
    }
  },
  'the fields of a launch and its text show the same': async (page) => {
    await open(page, 'ptx/?case=no-end-barrier/broken');
    const text = async (): Promise<string> =>
      page.evaluate(() => document.querySelector('#launch-code')?.textContent ?? '');
    const field = (label: string): Locator => page.locator(`#launch-fields [aria-label="${label}"]`);
    assert.equal(await field('Entry').inputValue(), 'allReduce');
    assert.equal(await field('Ranks').inputValue(), '2');
    // A struct has a field for each member, and the memory that it points to has its own.
    assert.equal(await field('Parameter 0: data').inputValue(), 'ranks.map((r) => peer(data, r))');
    await field('Memory 0: Elements').fill('9');
    assert.match(await text(), /const flags = alloc\('flags', u32, 9\)/);
    await field('Ranks').fill('3');
    await field('Parameter 2: Elements').fill('8');
    assert.match(await text(), /ranks: 3,.*const out = alloc\('out', u32, 8\)/);
    // The other way round.
    await page.click('#launch-as-text');
    await page.click('#launch-code .cm-line:has-text("launches: 2")');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('1');
    await page.click('#launch-as-fields');
    await page.waitForFunction(() => {
      const input = document.querySelector('#launch-fields [aria-label="Launches"]');
      return input instanceof HTMLInputElement && input.value === '1';
    });
    // A parameter of another form brings what it needs.
    await page.selectOption('[aria-label="Form of parameter 1"]', 'peers');
    await field('Parameter 1: Pointers to').waitFor({ timeout: LONG });
    assert.match(await text(), /const peers1 = alloc\('peers1', ptr, ranks\.map\(\(r\) => peer\(\w+, r\)\)\);/);
    await page.selectOption('[aria-label="Form of parameter 1"]', 'buffer');
    await field('Parameter 1: Type').selectOption('f64');
    await page.waitForFunction(() =>
      /import \{.*f64.*\} from/.test(document.querySelector('#launch-code')?.textContent ?? ''),
    );
  },
  ...Object.fromEntries(
    Object.entries(devices).map(([device, viewport]): [string, Test] => [
      `no page kind has a problem of accessibility on a ${device}, light or dark`,
      async (page) => {
        await page.setViewportSize(viewport);
        const problems: string[] = [];
        for (const { name, path, act } of views) {
          await page.emulateMedia({ colorScheme: 'light' });
          await page.goto('about:blank');
          await page.goto(path);
          await act?.(page);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            for (const problem of await accessibilityProblems(page))
              problems.push(`${name}, ${colorScheme}: ${problem}`);
          }
        }
        assert.deepEqual(problems, []);
      },
    ]),
  ),
  'the verdict of a program in a document comes into sight with each press': async (page) => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto('docs/tutorial/first-kernel/');
    const embed = page.locator('nccl-play').first();
    await embed.locator('[data-action="run"]').click();
    for (const name of ['Run', 'Check', 'Check']) {
      await page.evaluate(() => scrollTo(0, 300));
      await embed.locator(`.play-bar button:text-is("${name}")`).click();
      await embed.locator('.verdict[data-state="good"]').waitFor({ timeout: LONG });
      await page.waitForFunction(() => {
        const box = document.querySelector('nccl-play .verdict')?.getBoundingClientRect();
        return box !== undefined && box.top >= 0 && Math.floor(box.bottom) <= innerHeight;
      });
    }
  },
  'every exhibit of the museum has its verdicts in its document': async (page) => {
    for (const { name, verdict: expected } of await museumCases()) {
      const [exhibit = '', variant = ''] = name.split('/');
      await page.goto(`docs/museum/${exhibit}/`);
      await page.click(`nccl-exhibit [data-variant="${variant}"]`);
      await page.waitForSelector('nccl-exhibit .verdict[data-verdict]', { timeout: LONG });
      const given = await page.getAttribute('nccl-exhibit .verdict', 'data-verdict');
      assert.equal(given === 'clean', expected === 'clean', name);
      // The museum's table has kinds of findings, and a report's verdict may stand for several.
      const kinds = page.locator(`nccl-exhibit .finding[data-kind="${expected}"]`);
      if (expected !== 'clean') assert.ok((await kinds.count()) > 0, name);
      if (expected !== 'clean') assert.ok((await page.locator('nccl-exhibit .mark-line').count()) > 0, name);
    }
  },
  'every kernel of the documents has its verdict': async (page) => {
    let count = 0;
    let hosted = 0;
    for (const { url } of [{ url: '' }, ...(await readDocuments())]) {
      await page.goto(url);
      const embeds = await page.locator('nccl-play').count();
      hosted += await page.locator('nccl-play .embed-host').count();
      for (let i = 0; i < embeds; i++) {
        const embed = page.locator('nccl-play').nth(i);
        await embed.locator('[data-action="check"]').click();
        await embed.locator('.verdict[data-state="good"], .verdict[data-state="bad"]').waitFor({ timeout: LONG });
        const text = (await embed.locator('.verdict').textContent()) ?? '';
        const given = await embed.locator('.verdict').getAttribute('data-verdict');
        assert.equal(given, await embed.getAttribute('data-verdict'), `${url}, program ${i + 1}: ${text}`);
        count++;
      }
    }
    // The build fails on a kernel that is no embed.
    assert.equal(hosted, embedHosts.length);
    assert.ok(count > embedHosts.length, `${count} programs`);
    console.log(`    ${count} programs of the documents`);
  },
};

/** `4 KiB loaded` and `96 B stored`, in bytes. */
function numbersOf(texts: readonly string[]): readonly number[] {
  return texts.map((text) => Number.parseFloat(text) * (text.includes('KiB') ? 1024 : 1));
}

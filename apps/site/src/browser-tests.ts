/** Tests the built site in headless Chromium: `pnpm --filter @nccl-ts/site browser-tests`. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { examples } from '../page/examples.ts';
import { litmusTests } from '../page/litmus-tests.ts';
import { accessibilityProblems } from './accessibility.ts';
import { launchChromium } from './chromium.ts';
import { tasks } from '../page/tasks.ts';
import { readDocuments } from './documents.ts';
import { museumCases } from './museum.ts';
import { serve } from './serve.ts';
import { loaded, views } from './views.ts';

/** A global of the page, for functions that run there. */
declare const playground: {
  text: string;
  readonly finding: string;
  readonly editor: { text: string; readonly view: EditorView };
};

interface EditorView {
  readonly state: { readonly doc: { toString(): string } };
  dispatch(change: object): void;
  focus(): void;
}

await using server = await serve(0);
const browser = await launchChromium();
const LONG = 60_000;

type Test = (page: Page) => Promise<void>;

async function open(page: Page, path: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(server.url + path);
  await loaded(page);
}

async function press(page: Page, name: string): Promise<void> {
  await page.click(`#bar button:text-is("${name}")`);
}

/** The verdict's sentence, once no request is running. */
async function verdict(page: Page): Promise<string> {
  await page.waitForFunction(() => document.querySelector('.verdict')?.getAttribute('data-state') !== 'busy', null, {
    timeout: LONG,
  });
  return (await page.textContent('.verdict')) ?? '';
}

async function type(page: Page, text: string): Promise<void> {
  await page.evaluate((given) => {
    playground.text = given;
  }, text);
}

/** Parses texts such as `4 KiB loaded` and `96 B stored` into bytes. */
function numbersOf(texts: readonly string[]): readonly number[] {
  return texts.map((text) => Number.parseFloat(text) * (text.includes('KiB') ? 1024 : 1));
}

const textOf = async (page: Page): Promise<string> => page.evaluate(() => playground.text);

const tests: Record<string, Test> = {
  'run shows the result of each rank, its memory and a timeline': async (page) => {
    await open(page, 'playground/?example=shift');
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
    assert.match((await page.textContent('.panel')) ?? '', /rank 0\[600, 602, 604\]/);
    await page.click('[data-tab="timeline"]');
    assert.ok((await page.locator('.timeline svg').count()) === 1);
  },
  'a program runs on the GPU of the browser and gives the same results as on the simulator': async (page) => {
    await open(page, 'playground/?example=allreduce');
    await page.selectOption('select[aria-label="Machine"]', 'gpu');
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in .* on .*swiftshader.*, which is a program for the CPU\./i);
    assert.match((await page.textContent('.panel')) ?? '', /rank 0\[10, 10, 10, 10\]/);
    await page.click('[data-tab="timeline"]');
    assert.match((await page.textContent('.panel')) ?? '', /only the simulator keeps one/);
    await press(page, 'Check');
    assert.match(await verdict(page), /^Clean/);
  },
  'check marks both lines of a race, and a click fixes it': async (page) => {
    await open(page, 'playground/?example=weak-barrier');
    await press(page, 'Check');
    assert.match(await verdict(page), /^Race/);
    assert.equal(await page.locator('.mark-line.mark-first').count(), 1);
    assert.equal(await page.locator('.mark-line.mark-second').count(), 1);
    for (let i = 0; i < 3 && (await page.locator('.fix').count()) > 0; i++) {
      const before = await textOf(page);
      await page.locator('.fix').first().click();
      await page.waitForFunction((old) => playground.text !== old, before);
      await verdict(page);
    }
    assert.match(await verdict(page), /^Clean/);
    assert.match(await textOf(page), /'acq_rel'/);
  },
  'a program can be changed and run before its editor has loaded': async (page) => {
    const url = `${server.url}playground/?example=shift`;
    const first = await (await page.request.get(url)).text();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The page names the files that it needs at once. The editor is among the others.
    await page.route('**/assets/chunk-*.js', async (route) => {
      if (!first.includes(route.request().url().split('/').at(-1) ?? '')) await held;
      await route.continue();
    });
    await page.goto(url);
    const plain = page.locator('textarea.plain-program');
    await plain.fill((await plain.inputValue()).replace('* 100', '* 1000'));
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
    assert.match((await page.textContent('.panel')) ?? '', /rank 0\[6000, 6002, 6004\]/);
    release();
    await page.waitForSelector('.cm-content:has-text("* 1000")', { timeout: LONG });
    assert.equal(await plain.count(), 0);
  },
  'a compile error is marked while the reader types': async (page) => {
    await open(page, 'playground/?example=shift');
    const text = await textOf(page);
    await page.evaluate(
      (given) => {
        playground.editor.text = given;
      },
      text.replace('mine.load(threadIdx.x) * 2', 'Math.max(1, 2)'),
    );
    await page.waitForSelector('.cm-lintRange-error', { timeout: LONG });
    assert.ok((await page.locator('.cm-lint-marker-error').count()) > 0);
  },
  'types, completions and signatures appear on request': async (page) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await open(page, 'playground/?example=shift');
    assert.ok(!asked.some((url) => url.endsWith('language.js')), 'TypeScript was loaded before it was requested');
    const box = await page.locator('.cm-line:has-text("mine.store")').boundingBox();
    assert.ok(box !== null);
    // The first move loads TypeScript; a later one queries it.
    const types = page.locator('.cm-tooltip-hover .types:has-text("const mine")');
    for (let i = 0; i < 40 && (await types.count()) === 0; i++) {
      await page.mouse.move(box.x + 44 + (i % 8), box.y + box.height / 2);
      await types.waitFor({ timeout: 1500 }).catch(() => {});
    }
    assert.equal(await types.count(), 1);
    await page.evaluate(() => {
      const { view } = playground.editor;
      view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf('    bar.sync') } });
      view.focus();
    });
    await page.keyboard.type('bar.', { delay: 30 });
    for (const name of ['arrive', 'sync', 'wait']) {
      await page.waitForSelector(`.cm-tooltip-autocomplete >> text=${name}`, { timeout: LONG });
    }
    await page.keyboard.type('sync(', { delay: 30 });
    await page.waitForSelector('.signature >> text=coop', { timeout: LONG });
    const elsewhere = asked.filter((url) => /^https?:/.test(url) && !url.startsWith(server.url));
    assert.deepEqual(elsewhere, []);
  },
  'a type error is marked together with the compile errors of kernels': async (page) => {
    await open(page, 'playground/?example=shift');
    await page.hover('.cm-content');
    await page.evaluate(() => {
      const { view } = playground.editor;
      const at = view.state.doc.toString().indexOf('allocWindow(u32, 64)') + 'allocWindow(u32, '.length;
      view.dispatch({ changes: { from: at, to: at + 2, insert: "'64'" } });
    });
    await page.waitForSelector('.cm-lintRange-warning', { timeout: LONG });
    assert.equal(await page.locator('.cm-lintRange-error').count(), 0);
  },
  'an endless host loop is stopped, and the next run works': async (page) => {
    await open(page, 'playground/?example=shift');
    const text = await textOf(page);
    await type(page, text.replace('  const win =', '  for (;;) {}\n  const win ='));
    await press(page, 'Run');
    await press(page, 'Stop');
    assert.equal(await verdict(page), 'Stopped.');
    await type(page, text);
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
  },
  'an endless kernel is reported or stopped': async (page) => {
    await open(page, 'playground/?example=flag');
    await type(
      page,
      (await textOf(page)).replace(
        "there.store(1, 1, 'release', 'system');",
        'for (let i = 0; i < 2000000000; i++) there.store(0, i);',
      ),
    );
    await press(page, 'Run');
    await press(page, 'Stop');
    assert.equal(await verdict(page), 'Stopped.');
  },
  'a stopped check shows its findings so far': async (page) => {
    await open(page, 'playground/?example=shift');
    // The old values depend on the order, so the check runs several schedules.
    await type(
      page,
      (await textOf(page)).replace(
        /mine\.store.*/,
        `let last = u32(0);
    for (let i = 0; i < 6; i++) last = lsa.pointer(win, u32, 0, 0).atomicAdd(63, 1, 'relaxed', 'system');
    if (threadIdx.x < 31) mine.store(32 + threadIdx.x, last);
    bar.sync(coopCta(), 'acq_rel');`,
      ),
    );
    await press(page, 'Check');
    await page.waitForFunction(() => (document.querySelector('.phase')?.textContent ?? '').includes('schedule'), null, {
      timeout: LONG,
    });
    await press(page, 'Stop');
    assert.match(await verdict(page), /the check was stopped/);
    await page.click('[data-tab="log"]');
    assert.match((await page.textContent('.report')) ?? '', /accesses checked/);
  },
  'a shared link leads to the same finding': async (page) => {
    await open(page, 'playground/?example=no-barrier');
    await press(page, 'Check');
    await verdict(page);
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#v1'));
    const fragment = await page.evaluate(() => location.hash);
    const marked = await page.locator('.mark-line').allTextContents();
    assert.equal(marked.length, 2);
    await open(page, `playground/${fragment}`);
    await page.waitForSelector('.finding', { timeout: LONG });
    assert.match(await verdict(page), /^Race/);
    assert.deepEqual(await page.locator('.mark-line').allTextContents(), marked);
    const fingerprint = /f=([^;]+)/.exec(fragment)?.[1];
    assert.equal(await page.evaluate(() => playground.finding), decodeURIComponent(fingerprint ?? ''));
  },
  'memory over time shows the writer of a cell, its turn and its line, and a link keeps the step': async (page) => {
    await open(page, 'playground/?example=shift');
    await press(page, 'Run');
    await verdict(page);
    await page.click('.over-time');
    await page.waitForSelector('.history .steps', { timeout: LONG });
    assert.match(await verdict(page), /turns of one schedule/);
    const last = Number(await page.getAttribute('.steps input', 'max'));
    for (let i = 0; i < last; i++) await page.click('[aria-label="Turn after"]');
    // Rank 0's first word comes from the rank to its left.
    const cell = page.locator('.memory tr').first().locator('.cell').first();
    assert.match(
      (await cell.getAttribute('title')) ?? '',
      /^Element 0 of rank 0 is 300: written by rank 3, CTA 0, thread 0 in turn \d+, line 10\.$/,
    );
    assert.ok((await page.locator('.mark-line.mark-shown').count()) > 0);
    const told = await page.textContent('.steps output');
    await page.click('#share');
    await page.waitForFunction(() => location.hash.includes('v=history'));
    const fragment = await page.evaluate(() => location.hash);
    await open(page, `playground/${fragment}`);
    await page.waitForSelector('.history .steps', { timeout: LONG });
    assert.equal(await page.textContent('.steps output'), told);
  },
  'executions show which write a read returned, and which others it could have returned': async (page) => {
    await open(page, 'playground/?example=weak-flag');
    await page.selectOption('select[aria-label="Ranks"]', '2');
    await page.click('[data-tab="executions"]');
    await page.click('#go-through');
    await page.waitForSelector('.history .reads li', { timeout: LONG });
    assert.match((await page.textContent('.steps output')) ?? '', /^Execution 1 of [2-9]/);
    const seen = new Set<string>();
    const last = Number(await page.getAttribute('.steps input', 'max'));
    for (let i = 0; i <= last; i++) {
      for (const text of await page.locator('.reads li').allTextContents()) seen.add(text);
      await page.click('[aria-label="Execution after"]');
    }
    const all = [...seen].join('\n');
    assert.match(all, /It took 42 of rank 0, CTA 0, thread 0, line 11\.It might have taken 0 of/);
    assert.match(all, /It took 0 of .*It might have taken 42 of rank 0/);
  },
  'programs cannot reach the network': async (page) => {
    // This server responds for every host, so only the policy keeps a program from it.
    const asked: string[] = [];
    const other = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' }).end('');
    });
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    await open(page, 'playground/');
    await type(
      page,
      `export async function host() {
  const tries = [];
  await fetch('http://${host}/').then(() => tries.push('fetch'), () => {});
  try { new WebSocket('ws://${host}/'); await new Promise((done) => setTimeout(done, 50)); } catch {}
  await import('http://${host}/x.js').then(() => tries.push('import'), () => {});
  return tries.length;
}`,
    );
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
    assert.match((await page.textContent('.panel')) ?? '', /rank 00/);
    assert.deepEqual(asked, []);
    other.close();
  },
  'code is emitted for CUDA, for WGSL and as IR': async (page) => {
    await open(page, 'playground/?example=shift');
    await page.click('[data-tab="emitted"]');
    await page.waitForSelector('.emitted .cm-content:has-text("__global__")', { timeout: LONG });
    await page.click('button:text-is("WGSL")');
    await page.waitForSelector('.emitted .cm-content:has-text("@group")', { timeout: LONG });
    await page.click('button:text-is("IR")');
    await page.waitForSelector('.emitted .cm-content:has-text("shift")', { timeout: LONG });
  },
  'every example of the menu gets its expected verdict': async (page) => {
    for (const { name, verdict: expected } of examples) {
      await open(page, `playground/?example=${name}`);
      await press(page, 'Check');
      await verdict(page);
      const given = await page.getAttribute('.verdict', 'data-verdict');
      assert.equal(given, expected, name);
    }
  },
  'the litmus page agrees with the table of the memory model': async (page) => {
    await page.goto(`${server.url}litmus/`);
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
        kind === 'break' ? 'Broken. The card below shows the finding.' : 'Repaired.',
        name,
      );
    }
    assert.equal(await page.locator('.task:has-text("✓")').count(), tasks.length);
  },
  'a repair that computes nothing is not accepted': async (page) => {
    await open(page, 'break/?task=no-barrier');
    await type(page, 'export async function host() { return [0]; }');
    await press(page, 'Check');
    await page.waitForFunction(() => document.querySelector('.answer')?.textContent !== '', null, { timeout: LONG });
    assert.match((await page.textContent('.answer')) ?? '', /results are wrong/);
  },
  'a barrier shows which rank waits for which': async (page) => {
    await open(page, 'barrier/');
    await page.click('#on');
    assert.match(
      (await page.textContent('.verdict')) ?? '',
      /Rank 1 has come.*Waiting: rank 1 for rank 0 and rank 2\./,
    );
    assert.ok(await page.locator('[data-rank="1"]').isDisabled());
    await page.click('#on');
    assert.match((await page.textContent('.verdict')) ?? '', /Waiting: rank 0 for rank 2; rank 1 for rank 2\./);
    await page.click('#on');
    assert.match((await page.textContent('.verdict')) ?? '', /Nobody waits/);
    await page.click('[data-rank="0"]');
    await page.waitForFunction(() => document.querySelector('.verdict')?.textContent?.includes('time 2'));
  },
  'the four ways to sum are clean, and the page counts the bytes on each link': async (page) => {
    const bytes = 4096;
    // The bytes that a rank loads from and stores to the next rank. Barriers also store words.
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
  'pasted PTX of a racy kernel gets a finding, and the fixed kernel is clean': async (page) => {
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
  'no kind of page has an accessibility problem, light or dark': async (page) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const { name, path, act } of views) {
        await page.goto('about:blank');
        await page.goto(server.url + path);
        await act?.(page);
        assert.deepEqual(await accessibilityProblems(page), [], `${name}, ${colorScheme}`);
      }
    }
  },
  'every exhibit of the museum gets its expected verdicts in its document': async (page) => {
    for (const { name, verdict: expected } of await museumCases()) {
      const [exhibit = '', variant = ''] = name.split('/');
      await page.goto(`${server.url}docs/museum/${exhibit}/`);
      await page.click(`nccl-exhibit [data-variant="${variant}"]`);
      await page.waitForSelector('nccl-exhibit .verdict[data-verdict]', { timeout: LONG });
      assert.equal(await page.getAttribute('nccl-exhibit .verdict', 'data-verdict'), expected, name);
      if (expected !== 'clean') assert.ok((await page.locator('nccl-exhibit .mark-line').count()) > 0, name);
    }
  },
  'every kernel of the documents gets its expected verdict': async (page) => {
    let count = 0;
    for (const { url } of [{ url: '' }, ...(await readDocuments())]) {
      await page.goto(server.url + url);
      const embeds = await page.locator('nccl-play').count();
      for (let i = 0; i < embeds; i++) {
        const embed = page.locator('nccl-play').nth(i);
        await embed.locator('[data-action="check"]').click();
        await embed.locator('.verdict[data-state="good"], .verdict[data-state="bad"]').waitFor({ timeout: LONG });
        const text = (await embed.locator('.verdict').textContent()) ?? '';
        const given = await embed.locator('.verdict').getAttribute('data-verdict');
        assert.equal(given, await embed.getAttribute('verdict'), `${url}, program ${i + 1}: ${text}`);
        count++;
      }
    }
    assert.ok(count >= 2, `${count} programs`);
    console.log(`    ${count} programs of the documents`);
  },
};

const word = process.argv[2] ?? '';
let failed = 0;
for (const [name, test] of Object.entries(tests).filter(([title]) => title.includes(word))) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const started = Date.now();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  try {
    await test(page);
    console.log(`ok   ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    failed++;
    const message = error instanceof Error ? error.message : String(error);
    console.log(['FAIL ', name, `\n     at ${page.url()}: ${message}`, ...problems].join('\n     '));
  }
  await page.close();
}
await browser.close();
process.exitCode = failed === 0 ? 0 : 1;

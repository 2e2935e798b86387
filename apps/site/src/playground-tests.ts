import type { EditorView } from './editor-view.ts';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { exampleGroups, examples } from '../page/examples.ts';
import { tasks } from '../page/tasks.ts';
import { LONG, open, press, textOf, type, verdict, type Test } from './page-test.ts';

/** The page's own object, in functions that run there. */
declare const playground: {
  text: string;
  readonly finding: string;
  readonly editor: { text: string; readonly view: EditorView };
};

export const playgroundTests: Readonly<Record<string, Test>> = {
  'run shows what each rank returned, its memory and a timeline': async (page) => {
    await open(page, 'playground/?example=shift');
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
    assert.match((await page.textContent('.panel')) ?? '', /rank 0\[600, 602, 604\]/);
    await page.click('[data-tab="timeline"]');
    assert.ok((await page.locator('.timeline svg').count()) > 0);
  },
  'a program runs on the GPU of the browser, with the results of the simulator': async (page) => {
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
  'check marks both lines of a race, and a click mends it': async (page) => {
    await open(page, 'playground/?example=weak-barrier');
    await press(page, 'Check');
    assert.match(await verdict(page), /^Race/);
    assert.equal(await page.locator('.mark-line.mark-first').count(), 1);
    assert.equal(await page.locator('.mark-line.mark-second').count(), 1);
    const before = await textOf(page);
    await page.locator('.fix').first().click();
    await page.waitForFunction((old) => playground.text !== old, before);
    assert.match(await verdict(page), /^Clean/);
    assert.match(await textOf(page), /'acq_rel'/);
  },
  'a missing barrier is added by one click, and the check is clean after it': async (page) => {
    const task = (name: string): string => tasks.find((one) => one.name === name)?.text ?? '';
    const shared = tasks.find(({ name }) => name === 'shared-barrier')?.solved ?? '';
    const allReduce = examples.find(({ name }) => name === 'allreduce')?.text ?? '';
    const programs: Readonly<Record<string, readonly [text: string, added: RegExp]>> = {
      'no session': [
        examples.find(({ name }) => name === 'no-barrier')?.text ?? '',
        /\n    const bar = lsa\.barrierSession\(coopCta\(\), comm, 0\);\n    bar\.sync\(coopCta\(\), 'acq_rel'\);\n    mine\.store/,
      ],
      'between two statements': [task('no-barrier'), /\n    bar\.sync\(coopCta\(\), 'acq_rel'\);\n    mine\.store/],
      'at the end, for the host': [task('no-last-barrier'), /\n    }\n    bar\.sync\(coopCta\(\), 'acq_rel'\);\n  },/],
      'in a loop': [task('reused-too-early'), /\{\n      bar\.sync\(coopCta\(\), 'acq_rel'\);\n      right\.store/],
      'of a CTA': [shared, /threadIdx\.x\);\n    coopCta\(\)\.sync\(\);\n/],
      'too weak, for the host': [
        allReduce.replace("bar.sync(coopCta(), 'release')", "bar.sync(coopCta(), 'relaxed')"),
        /\n    }\n    bar\.sync\(coopCta\(\), '(?:release|acq_rel)'\);\n  },/,
      ],
    };
    await open(page, 'playground/');
    for (const [name, [text, added]] of Object.entries(programs)) {
      await type(page, text);
      await press(page, 'Check');
      assert.match(await verdict(page), /^Race/, name);
      await page.locator('.fix').first().click();
      await page.waitForFunction((old) => playground.text !== old, text);
      // Threads of one CTA alone do not communicate, which no check calls clean.
      assert.match(await verdict(page), name === 'of a CTA' ? /^Incomplete/ : /^Clean/, name);
      assert.match(await textOf(page), added, name);
    }
  },
  'Relax shows what a program does not need, greys it out, and applies it': async (page) => {
    await open(page, 'playground/?example=needless');
    await page.click('[data-tab="relax"]');
    await page.click('#relax');
    await page.waitForSelector('#apply-offers', { timeout: LONG });
    assert.match(await verdict(page), /^3 synchronizations: 3 offers\./);
    assert.deepEqual(await page.locator('.relax li b').allTextContents(), ['weaker', 'removable', 'weaker']);
    assert.equal(await page.locator('.mark-line.mark-unneeded').count(), 3);
    await page.click('#apply-offers');
    await page.waitForFunction(() => !playground.text.includes('fence('));
    assert.match(await verdict(page), /^Clean/);
    assert.match(
      await textOf(page),
      /bar\.sync\(coopCta\(\), 'acquire'\);[^]*\n    bar\.sync\(coopCta\(\), 'release'\);/,
    );
    // The offers were those of another text.
    await page.click('[data-tab="relax"]');
    assert.equal(await page.locator('#relax').count(), 1);
  },
  'the names of the lanes stay in view while the timeline is moved': async (page) => {
    await open(page, 'playground/?example=allreduce');
    await press(page, 'Run');
    await verdict(page);
    await page.click('[data-tab="timeline"]');
    const width = await page.getAttribute('.timeline svg', 'width');
    await page.click('text=Zoom in');
    await page.waitForFunction((old) => document.querySelector('.timeline svg')?.getAttribute('width') !== old, width);
    const left = async (): Promise<number | undefined> =>
      (await page.locator('.lane-names .rank').first().boundingBox())?.x;
    const before = await left();
    const moved = await page.evaluate(() => {
      const region = document.querySelector('.timeline');
      region?.scrollTo(40, 0);
      return region?.scrollLeft;
    });
    assert.equal(moved, 40);
    await page.waitForSelector('.lane-names[transform="translate(40 0)"]', { state: 'attached', timeout: LONG });
    assert.equal(await left(), before);
  },
  'Relax says why a program that is wrong cannot be relaxed': async (page) => {
    await open(page, 'playground/?example=weak-barrier');
    await page.click('[data-tab="relax"]');
    await page.click('#relax');
    assert.match(
      await verdict(page),
      /^NCCL_INVALID_USAGE: relax: the program as it is cannot be the measure: it is wrong there/,
    );
  },
  'a fix that would not make the check clean is not offered': async (page) => {
    const text = tasks.find(({ name }) => name === 'same-target')?.solved ?? '';
    await open(page, 'playground/');
    await type(page, text);
    await press(page, 'Check');
    assert.match(await verdict(page), /^Race/);
    assert.equal(await page.locator('.fix').count(), 0);
  },
  "a race with the host's read marks the line of the read": async (page) => {
    await open(page, 'playground/?example=allreduce');
    await type(page, (await textOf(page)).replace("bar.sync(coopCta(), 'release')", "bar.sync(coopCta(), 'relaxed')"));
    await press(page, 'Check');
    assert.match(await verdict(page), /^Race/);
    assert.match((await page.locator('.finding .places').first().textContent()) ?? '', /host of rank \d: read line 28/);
    assert.match((await page.locator('.mark-line.mark-first').textContent()) ?? '', /return \(await win\.read\(\)\)/);
    assert.equal(await page.locator('.mark-text.mark-first').textContent(), 'win.read');
  },
  'an error of a host call marks its line, and an error of a kernel the line of the kernel': async (page) => {
    await open(page, 'playground/?example=shift');
    const text = await textOf(page);
    await type(page, text.replace('block: 32', 'block: 0'));
    await press(page, 'Run');
    assert.match(await verdict(page), /^NCCL_INVALID_ARGUMENT: launch of shift: block/);
    assert.match((await page.locator('.mark-line').textContent()) ?? '', /await comm\.launch\(shift/);
    await type(page, text.replace('mine.load(threadIdx.x)', 'mine.load(4096)'));
    await press(page, 'Run');
    await verdict(page);
    assert.match((await page.locator('.mark-line').textContent()) ?? '', /mine\.load\(4096\)/);
  },
  'a program can be changed and run before its editor is there': async (page) => {
    const url = 'playground/?example=shift';
    const first = await (await page.request.get(url)).text();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The page names the files that it needs at once; the editor is among the others.
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
  'a compile error is marked as one types': async (page) => {
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
  'types, completions and signatures come when somebody asks': async (page) => {
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await open(page, 'playground/?example=shift');
    assert.ok(!requested.some((url) => url.endsWith('language.js')), 'TypeScript was loaded before anybody asked');
    const box = await page.locator('.cm-line:has-text("mine.store")').boundingBox();
    assert.ok(box !== null);
    // The first move loads TypeScript; a later one asks it.
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
    const elsewhere = requested.filter((url) => /^https?:/.test(url) && !url.startsWith(new URL(page.url()).origin));
    assert.deepEqual(elsewhere, []);
  },
  'a call that is typed while its types are loading shows its parameters': async (page) => {
    await open(page, 'playground/?example=shift');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/assets/chunk-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.evaluate(() => {
      const { view } = playground.editor;
      view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf('    bar.sync') } });
      view.focus();
    });
    await page.keyboard.type('bar.sync(');
    release();
    await page.waitForSelector('.signature >> text=coop', { timeout: LONG });
  },
  'a wrong type is marked beside the compile errors of kernels': async (page) => {
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
  'a check that is stopped tells what it has found so far': async (page) => {
    await open(page, 'playground/?example=shift');
    // The old values depend on the order, so the check goes through schedules.
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
    await page.click('#as-sent');
    await page.waitForSelector('.finding', { timeout: LONG });
    assert.match(await verdict(page), /^Race/);
    assert.deepEqual(await page.locator('.mark-line').allTextContents(), marked);
    const fingerprint = /f=([^;]+)/.exec(fragment)?.[1];
    assert.equal(await page.evaluate(() => playground.finding), decodeURIComponent(fingerprint ?? ''));
  },
  'memory over time tells who wrote a cell, when and from which line, and a link keeps the step': async (page) => {
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
    const reported = await page.textContent('.steps output');
    await page.click('#share');
    await page.waitForFunction(() => location.hash.includes('v=history'));
    const fragment = await page.evaluate(() => location.hash);
    await open(page, `playground/${fragment}`);
    await page.click('#as-sent');
    await page.waitForSelector('.history .steps', { timeout: LONG });
    assert.equal(await page.textContent('.steps output'), reported);
  },
  'executions tell which write a read took, and which others it might have taken': async (page) => {
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
    // The picture is of the execution at hand: the read of the data has one source.
    assert.deepEqual(await page.locator('.graph .head').allTextContents(), [
      'rank 0, CTA 0, thread 0',
      'rank 1, CTA 0, thread 0',
    ]);
    const picture = page.locator('.graph');
    assert.equal(await picture.locator('.event.open').count(), 1);
    assert.match((await picture.textContent()) ?? '', /line 11: write 42.*line 16: read (?:0|42)/);
    const stale = /line 16: read 0/.test((await picture.textContent()) ?? '');
    assert.equal((await picture.locator('.edge-line.reads.initial').count()) > 0, stale);
    assert.equal(await picture.locator('.edge-line.other').count(), stale ? 1 : 0);
  },
  'programs reach no network': async (page) => {
    // A server that answers every site: only the policy keeps a program from it.
    const requested: string[] = [];
    const other = createServer((request, response) => {
      requested.push(request.url ?? '');
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
    assert.deepEqual(requested, []);
    other.close();
  },
  'the timeline and the program lead to each other, by the pointer and by keys': async (page) => {
    await open(page, 'playground/?example=shift');
    await press(page, 'Run');
    await verdict(page);
    await page.click('[data-tab="timeline"]');
    assert.equal(await page.locator('.timeline .at-line').count(), 0);
    await page.click('.code-pane .cm-line:has-text("bar.sync")');
    const count = await page.locator('.timeline .at-line').count();
    assert.ok(count >= 4, `${count} bars`);
    await page.focus('.timeline [tabindex="0"][data-line]');
    const first = await page.evaluate(() => document.activeElement?.getAttribute('data-line'));
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('.timeline [tabindex="0"][data-line]').count(), 1);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    const lines = (await textOf(page)).split('\n');
    assert.equal(await page.textContent('.code-pane .cm-activeLine'), lines[Number(first) - 1]);
    assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('cm-content')));
  },
  'code is emitted for CUDA, WGSL and as IR, and its lines belong to those of the program': async (page) => {
    await open(page, 'playground/?example=shift');
    await page.click('[data-tab="emitted"]');
    for (const title of ['CUDA C++', 'WGSL', 'IR']) {
      await page.click(`.panel button:text-is("${title}")`);
      await page.waitForSelector('.emitted .cm-line.tint', { timeout: LONG });
      await page.click('.code-pane .cm-line:has-text("mine.store")');
      await page.locator('.emitted .cm-line.mark-shown').first().waitFor({ state: 'attached', timeout: LONG });
      const tint = await page.getAttribute('.code-pane .cm-line:has-text("mine.store")', 'class');
      assert.match(tint ?? '', /tint-\d/, title);
      const own = /tint-\d/.exec(tint ?? '')?.[0] ?? '';
      assert.match(
        (await page.locator('.emitted .cm-line.mark-shown').first().getAttribute('class')) ?? '',
        new RegExp(own),
      );
      await page.click('.code-pane .cm-line:has-text("// Each thread doubles")');
    }
    // The emitted code follows the program.
    await page.evaluate(() => {
      const { view } = playground.editor;
      const at = view.state.doc.toString().indexOf('* 2') + 2;
      view.dispatch({ changes: { from: at, to: at + 1, insert: '77' } });
    });
    await page.waitForSelector('.emitted .cm-content:has-text("77")', { timeout: LONG });
    await page.click('[data-tab="findings"]');
    assert.equal(await page.locator('.code-pane .tint').count(), 0);
  },
  'every example of the menu has its verdict': async (page) => {
    assert.deepEqual(
      exampleGroups.flatMap(({ names }) => names).toSorted(),
      examples.map(({ name }) => name).toSorted(),
    );
    for (const { name, verdict: expected } of examples) {
      await open(page, `playground/?example=${name}`);
      await press(page, 'Check');
      await verdict(page);
      const given = await page.getAttribute('.verdict', 'data-verdict');
      assert.equal(given, expected, name);
    }
  },
};

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sim } from '@nccl-ts/backend-sim';
import { expect, inject, test } from 'vitest';
import { runAllReduce } from '../../src/01-allreduce-lsa/run.ts';
import { launchChromium, problemsOf, requireChromium } from '../support/chromium.ts';
import { addressOf, bundle, serve } from '../support/serve-script.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const here = dirname(fileURLToPath(import.meta.url));
const timeout = 120_000;

test("bundles do not contain Node's built-in modules", async () => {
  const contents = "import { readFileSync } from 'node:fs'; console.log(readFileSync);";
  await expect(bundle({ stdin: { contents } })).rejects.toThrow(/Could not resolve "node:fs"/);
});

test.for(slow)('example 01 prints the same in a browser, and PTX is checked there', { timeout }, async (_, context) => {
  requireChromium(context);
  const expected: string[] = [];
  const count = 1 << 16;
  await runAllReduce({ backend: sim({ ranks: 4 }), count, print: (line) => expected.push(line) });

  const script = await bundle({ entryPoints: [join(here, 'page.ts')] });
  const browser = await launchChromium();
  const server = await serve(script);
  try {
    const page = await browser.newPage();
    const problems = problemsOf(page);
    await page.goto(addressOf(server));
    // As text, because the browser lacks the helpers that the test runner adds to functions.
    const inPage = async (call: string): Promise<unknown> =>
      page.evaluate(`import('/page.js').then((page) => page.${call})`);

    expect(await inPage(`runExample('sim', ${count})`)).toEqual(expected);
    expect(await inPage(`runExample('webgpu', ${count})`)).toEqual(expected);
    expect(await inPage('compileError()')).toContain("'leftOutside' is not defined inside the kernel");
    const ptx = (name: string): string =>
      JSON.stringify(readFileSync(join(here, '../../museum/no-end-barrier', `${name}.ptx`), 'utf8'));
    expect(await inPage(`ptxVerdict(${ptx('broken')})`)).toMatch(/^race/);
    expect(await inPage(`ptxVerdict(${ptx('mended')})`)).toBe('clean');
    expect(problems).toEqual([]);
  } finally {
    server.close();
    await browser.close();
  }
});

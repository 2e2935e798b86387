import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sim } from '@nccl-ts/backend-sim';
import { build, type BuildOptions } from 'esbuild';
import { expect, test } from 'vitest';
import { runAllReduce } from '../../src/01-allreduce-lsa/run.ts';
import { launchChromium, problemsOf, requireChromium } from '../support/chromium.ts';

/** Packages that use Node's built-in modules, and say so in tooling/boundaries; and what a test runner in Node loads. */
const forNodeAlone = ['backend-cuda', 'vitest'];
const here = dirname(fileURLToPath(import.meta.url));
const timeout = 120_000;

function browserPackages(): readonly string[] {
  const folder = join(here, '../../../../packages');
  const all = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json')));
  return all.filter((name) => !forNodeAlone.includes(name)).sort();
}

/** For browsers, where Node's built-in modules cannot be imported: the build fails where one is. */
async function bundle(entry: Pick<BuildOptions, 'entryPoints' | 'stdin'>): Promise<string> {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: process.env['TEST_BUILT'] === '1' ? [] : ['@nccl-ts/source'],
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Serves an empty page and the script `/page.js` on this machine alone. */
async function serve(script: string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === '/page.js' ? ['text/javascript', script] : ['text/html', '<!doctype html><title>test</title>'];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return server;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}/`;
}

test('Node’s built-in modules do not get into a bundle', async () => {
  const contents = "import { readFileSync } from 'node:fs'; console.log(readFileSync);";
  await expect(bundle({ stdin: { contents } })).rejects.toThrow(/Could not resolve "node:fs"/);
});

test(
  'every package loads in a browser, and example 01 prints there what it prints here',
  { timeout },
  async (context) => {
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
      // As text, because the browser knows nothing of what the test runner does to functions.
      const inPage = async (call: string): Promise<unknown> =>
        page.evaluate(`import('/page.js').then((page) => page.${call})`);

      expect(await inPage('packageNames()')).toEqual(browserPackages());

      expect(await inPage(`runExample('sim', ${count})`)).toEqual(expected);
      expect(await inPage(`runExample('webgpu', ${count})`)).toEqual(expected);
      expect(await inPage('compileError()')).toContain("'leftOutside' is not defined inside the kernel");
      expect(problems).toEqual([]);
    } finally {
      server.close();
      await browser.close();
    }
  },
);

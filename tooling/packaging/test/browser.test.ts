import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { chromiumFlags, chromiumPath, chromiumProblem } from '@nccl-ts/vitest-projects/chromium.ts';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect, inject, test } from 'vitest';

/**
 * Packages that use Node's built-in modules according to tooling/boundaries, and packages that npm
 * or a test runner in Node loads.
 */
const forNodeAlone = ['backend-cuda', 'create-nccl-ts', 'eslint-plugin', 'mcp', 'vitest'];
const packages = join(import.meta.dirname, '../../../packages');
const isBuilt = process.env['TEST_BUILT'] === '1';
const timeout = 120_000;

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

function browserPackages(): readonly string[] {
  const all = readdirSync(packages).filter((name) => existsSync(join(packages, name, 'package.json')));
  return all.filter((name) => !forNodeAlone.includes(name)).toSorted();
}

/**
 * Bundles a script for browsers. The build fails if the script imports a built-in module of Node.
 */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: packages },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: isBuilt ? [] : ['@nccl-ts/source'],
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}

test("a bundle with Node's built-in modules is refused", async () => {
  const contents = "import { readFileSync } from 'node:fs'; console.log(readFileSync);";
  await expect(bundle(contents)).rejects.toThrow(/Could not resolve "node:fs"/);
});

test.for(slow)('every package loads in a browser and exports something there', { timeout }, async (_, { skip }) => {
  const problem = chromiumProblem();
  if (problem !== undefined && process.env['CI'] === 'true') throw new Error(problem);
  skip(problem !== undefined, problem);

  const names = browserPackages();
  const entry = isBuilt ? 'dist/index.js' : 'src/index.ts';
  const imports = names.map((name, at) => `import * as p${at} from './${name}/${entry}';`);
  const exported = names.map((name, at) => `${JSON.stringify(name)}: Object.keys(p${at}).length > 0`);
  const script = await bundle(`${imports.join('\n')}\nexport const loaded = { ${exported.join(', ')} };\n`);

  const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumFlags] });
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => problems.push(message.text()));
    // No request leaves the browser, because the test answers all.
    await page.route('**/*', async (route) =>
      route.request().url().endsWith('/page.js')
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>test</title>' }),
    );
    await page.goto('http://localhost/');
    const loaded: unknown = await page.evaluate(`import('/page.js').then((page) => page.loaded)`);
    expect(loaded).toEqual(Object.fromEntries(names.map((name) => [name, true])));
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

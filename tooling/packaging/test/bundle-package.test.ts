import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundlePackage } from '../src/bundle-package.ts';
import { publishedPackages } from '../src/published-packages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundle-package-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a built package of modules, and bundles it. */
async function bundled(modules: Readonly<Record<string, string>>, manifest: object = {}): Promise<void> {
  const whole = {
    name: 'one',
    version: '1.0.0',
    type: 'module',
    sideEffects: false,
    files: ['dist', '!dist/.tsbuildinfo', 'src'],
    exports: {
      '.': { '@nccl-ts/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    ...manifest,
  };
  const at = join(folder, 'packages', 'one');
  for (const [path, text] of Object.entries({ 'package.json': JSON.stringify(whole), ...modules })) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), text);
  }
  mkdirSync(join(folder, 'apps'));
  const [one] = publishedPackages(folder);
  if (one === undefined) throw new Error('no package');
  await bundlePackage(one);
}

const read = (path: string): string => readFileSync(join(folder, 'packages', 'one', path), 'utf8');

/** The part of the package that a bundler keeps for this program. */
async function keptBy(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: join(folder, 'packages', 'one') },
    bundle: true,
    write: false,
    format: 'esm',
    packages: 'external',
    alias: { one: join(folder, 'packages', 'one', 'dist', 'index.js') },
  });
  return outputFiles.map(({ text }) => text).join('');
}

describe('a bundled package', () => {
  it('is one script and one declaration file', async () => {
    await bundled({
      'dist/index.js': "export { one } from './one.js';\n//# sourceMappingURL=index.js.map",
      'dist/index.js.map': '{}',
      'dist/one.js': 'export const one = 1;\n',
      'dist/index.d.ts': "export { one } from './one.js';\n",
      'dist/one.d.ts': '/** The number one. */\nexport declare const one = 1;\n',
    });
    expect(read('dist/index.js')).not.toMatch(/from '|sourceMappingURL/u);
    expect(read('dist/index.d.ts')).toContain('/** The number one. */');
    expect(() => read('dist/one.js')).toThrow('ENOENT');
    const manifest: unknown = JSON.parse(read('package.json'));
    expect(manifest).toMatchObject({ files: ['dist'] });
    expect(manifest).toHaveProperty(['exports', '.'], { types: './dist/index.d.ts', default: './dist/index.js' });
  });

  it('lets a bundler leave out what a program does not use', async () => {
    const modules = {
      'dist/index.js': "export { made, used } from './made.js';\nexport { parsed } from './parsed.js';\n",
      'dist/made.js': "const make = (x) => ({ x });\nexport const made = make('unused'), used = make('used');\n",
      'dist/parsed.js': "import { parse } from 'acorn';\nexport const parsed = (text) => parse(text);\n",
      'dist/index.d.ts': 'export {};\n',
    };
    await bundled(modules, { dependencies: { acorn: '8.19.0' } });
    const kept = await keptBy("import { used } from 'one'; console.log(used);");
    expect(kept).toContain('make("used")');
    expect(kept).not.toContain('unused');
    expect(kept).not.toContain('acorn');
  });

  it('bundles what only development installs, with its license', async () => {
    const tool = join(folder, 'packages', 'one', 'node_modules', 'tool');
    mkdirSync(tool, { recursive: true });
    writeFileSync(join(tool, 'package.json'), JSON.stringify({ name: 'tool', version: '2.0.0', main: 'index.js' }));
    writeFileSync(join(tool, 'index.js'), 'export const answer = 42;\n');
    writeFileSync(join(tool, 'LICENSE'), 'Do as you please.\n');
    await bundled(
      { 'dist/index.js': "export { answer } from 'tool';\n", 'dist/index.d.ts': 'export {};\n' },
      { devDependencies: { tool: '2.0.0' } },
    );
    expect(read('dist/index.js')).toContain('var answer = 42');
    expect(read('dist/LICENSES.txt')).toBe('tool 2.0.0\n\nDo as you please.\n');
  });

  it('keeps what a package with effects does when it is loaded', async () => {
    const text = 'const answer = await Promise.resolve(3);\nglobalThis.answer = answer;\nexport {};\n';
    await bundled({ 'dist/index.js': text, 'dist/index.d.ts': 'export {};\n' }, { sideEffects: undefined });
    await import(pathToFileURL(join(folder, 'packages', 'one', 'dist', 'index.js')).href);
    expect(globalThis).toHaveProperty('answer', 3);
  });
});

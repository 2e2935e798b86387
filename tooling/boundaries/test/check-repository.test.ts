import { describe, expect, test } from 'vitest';

import type { Inherent } from '../src/check-circles.ts';
import { checkRepository, renderViolation, type Allowed } from '../src/check-repository.ts';
import { inherentArrows, inherentCircles } from '../src/inherent-circles.ts';
import type { Files } from '../src/repository.ts';
import { samplePackage, sampleRepository } from './sample-repository.ts';

const workspace = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`@nccl-ts/${name}`, 'workspace:*']));

const core = samplePackage('core');
const ir = samplePackage('ir', { dependencies: workspace('core') });
const topology = samplePackage('topology', { dependencies: workspace('core') });

const findings = (...packages: readonly Files[]): readonly string[] =>
  checkRepository(sampleRepository(...packages)).map(renderViolation);

test('a repository that keeps the rules has no violation', () => {
  const window = samplePackage('window', { dependencies: workspace('core', 'topology') });
  expect(findings(core, ir, topology, window)).toEqual([]);
});

test('a package without code needs neither tests nor its dependencies', () => {
  const files = { 'src/index.ts': 'export {};\n', 'src/main.ts': 'export {};\n', 'test/main.test.ts': '' };
  const begun = samplePackage('ir', { dependencies: workspace('core'), files });
  expect(findings(core, begun)).toEqual([]);
});

test('packages must not depend on each other in a circle, not even for their tests', () => {
  const withTests = (name: string, dependencies: readonly string[], forTests: readonly string[]): Files =>
    samplePackage(name, { dependencies: workspace(...dependencies), devDependencies: workspace(...forTests) });
  const ofCircles = findings(core, withTests('ir', ['core'], ['gin']), withTests('gin', ['ir'], []), topology).filter(
    (line) => line.includes('package-circle'),
  );
  expect(ofCircles).toEqual([
    'packages/gin/package.json, packages/ir/package.json: package-circle: these depend on each other: ' +
      'move the tests that need a package above their own to a suite in tooling',
  ]);
});

describe('layers', () => {
  test('a package must not import one of its own layer', () => {
    expect(findings(core, topology, samplePackage('ir', { dependencies: workspace('topology') }))).toEqual([
      'packages/ir/src/main.ts:1: layer: ir must not import topology: both are in layer 1',
      'packages/ir/package.json: layer: ir must not import topology: both are in layer 1',
    ]);
  });

  test('a package must not import upwards, not even a type', () => {
    const files = { 'src/main.ts': "export type Main = import('@nccl-ts/ir').Main;\nexport const main = 1;\n" };
    expect(findings(samplePackage('core', { dependencies: workspace('ir'), files }), ir)).toContain(
      'packages/core/src/main.ts:1: layer: core (layer 0) must not import ir (layer 1)',
    );
  });

  test('a package must not import a lower layer outside of its row', () => {
    const kernel = samplePackage('kernel', { dependencies: workspace('topology') });
    expect(findings(core, topology, kernel)).toContain(
      'packages/kernel/src/main.ts:1: layer: kernel (layer 2) must not import topology (layer 1)',
    );
  });

  test.each(['conformance', 'collectives'])('%s must not import a backend', (name) => {
    const importer = samplePackage(name, { dependencies: workspace('backend-sim') });
    expect(findings(samplePackage('backend-sim'), importer)).toContain(
      `packages/${name}/src/main.ts:1: layer: ${name} must not import backend-sim: no package imports a backend`,
    );
  });

  test('a backend must not import another backend', () => {
    const cuda = samplePackage('backend-cuda', { dependencies: workspace('backend-webgpu') });
    expect(findings(samplePackage('backend-webgpu'), cuda)).toContain(
      'packages/backend-cuda/src/main.ts:1: layer: backend-cuda must not import backend-webgpu: both are in layer 6',
    );
  });

  test("a backend's tests may use conformance, but its sources may not", () => {
    const conformance = samplePackage('conformance');
    const files = { 'test/main.test.ts': "import { main } from '@nccl-ts/conformance';\n" };
    const good = samplePackage('backend-webgpu', { devDependencies: workspace('conformance'), files });
    expect(findings(conformance, good)).toEqual([]);
    const bad = samplePackage('backend-webgpu', { dependencies: workspace('conformance') });
    expect(findings(conformance, bad)).toContain(
      'packages/backend-webgpu/src/main.ts:1: layer: backend-webgpu (layer 6) must not import conformance (layer 10)',
    );
  });

  test('a package may depend on the app whose command it starts, but on no other', () => {
    const cli = new Map([['apps/cli/package.json', JSON.stringify({ name: '@nccl-ts/cli', exports: {} })]]);
    const facade = (...names: readonly string[]): readonly string[] =>
      findings(cli, samplePackage('nccl-ts', { dependencies: workspace(...names) }));
    expect(facade('cli').filter((line) => line.includes('package.json: layer'))).toEqual([]);
    expect(facade('bench')).toContain(
      'packages/nccl-ts/package.json: layer: nccl-ts must not import bench: only packages may be imported, and there is no package of that name',
    );
  });

  test('a package without a row in the table is a violation', () => {
    expect(findings(samplePackage('helpers'))).toEqual([
      'packages/helpers/package.json: unknown-package: this package has no row in tooling/boundaries/src/layers.ts: decide its layer there',
    ]);
  });
});

describe('imports', () => {
  const withMain = (text: string, name = 'core'): Files => samplePackage(name, { files: { 'src/main.ts': text } });

  test.each(['node:fs', 'fs', 'fs/promises', 'node:worker_threads'])('neutral code must not import %s', (specifier) => {
    expect(findings(withMain(`export const main = () => import('${specifier}');\n`))).toEqual([
      `packages/core/src/main.ts:1: node-built-in: core also runs in browsers, so it must not import ${specifier}`,
    ]);
  });

  test("backend-cuda may import Node's modules", () => {
    expect(findings(withMain("import 'node:fs';\nexport const main = 1;\n", 'backend-cuda'))).toEqual([
      "packages/backend-cuda/src/main.ts:1: side-effect-import: import 'node:fs' exists only for its side effects, but importing a package must have none",
    ]);
  });

  test('files of another package must not be imported, by name or by path', () => {
    const files = {
      'src/main.ts':
        "export * as a from '@nccl-ts/core/src/main.ts';\nexport { main } from '../../core/src/main.ts';\n",
    };
    expect(findings(core, samplePackage('ir', { dependencies: workspace('core'), files }))).toEqual([
      'packages/ir/src/main.ts:1: deep-import: @nccl-ts/core/src/main.ts is not an entry of @nccl-ts/core: its "exports" has no "./src/main.ts"',
      'packages/ir/src/main.ts:2: deep-import: ../../core/src/main.ts leaves packages/ir: import the other package by its name',
    ]);
  });

  test("a tool may use the code of a package's tests, but not its sources", () => {
    const tool = [...core].map(([path, text]) => [path.replace('packages/core', 'tooling/judge'), text] as const);
    const text = "export { main } from '../../../packages/core/test/oracle.ts';\n";
    const deepIn = (main: string): readonly string[] =>
      findings(core, new Map([...tool, ['tooling/judge/src/main.ts', main]])).filter((line) =>
        line.includes('deep-import'),
      );
    expect(deepIn(text)).toEqual([]);
    expect(deepIn(text.replace('/test/', '/src/'))).toHaveLength(1);
  });

  test('comments and strings that look like imports are ignored', () => {
    const text = "// import 'node:fs';\nexport const main = \"import x from 'node:fs'\";\n";
    expect(findings(withMain(text))).toEqual([]);
  });

  test('a syntax error is a violation, not a file without imports', () => {
    expect(findings(withMain('export const main = ;\n'))).toContainEqual(
      expect.stringContaining('packages/core/src/main.ts: syntax: '),
    );
  });
});

describe('dependencies', () => {
  test('must be declared if they are used', () => {
    const files = { 'src/main.ts': "export { parse as main } from 'acorn';\n" };
    expect(findings(samplePackage('core', { files }))).toEqual([
      'packages/core/src/main.ts:1: undeclared-dependency: core uses acorn, which its package.json does not declare',
    ]);
  });

  test('must be used if they are declared', () => {
    expect(findings(samplePackage('core', { dependencies: { acorn: '8.19.0' } }))).toEqual([
      'packages/core/package.json: unused-dependency: core declares acorn and never uses it',
    ]);
  });

  test('may be used only for the types of their globals', () => {
    const files = {
      'src/main.ts': '/// <reference types="@webgpu/types" preserve="true" />\nexport const main = 1;\n',
    };
    expect(findings(samplePackage('core', { dependencies: { '@webgpu/types': '0.1.74' }, files }))).toEqual([]);
    expect(findings(samplePackage('core', { files }))).toEqual([
      'packages/core/src/main.ts:1: undeclared-dependency: core uses @webgpu/types, which its package.json does not declare',
    ]);
  });

  test("must match the compiler's references", () => {
    const files = { 'tsconfig.json': JSON.stringify({ references: [{ path: '../topology' }] }) };
    expect(findings(core, topology, samplePackage('ir', { dependencies: workspace('core'), files }))).toEqual([
      'packages/ir/tsconfig.json: references: lacks a reference to packages/core',
      'packages/ir/tsconfig.json: references: refers to packages/topology for no dependency',
    ]);
  });
});

test("must be in the root's compiler files", () => {
  const solution = (...paths: readonly string[]): string =>
    JSON.stringify({ references: paths.map((path) => ({ path })) });
  const roots = new Map([
    ['tsconfig.build.json', solution('./packages/core')],
    ['tsconfig.json', solution('./tsconfig.build.json', './packages/core/test')],
  ]);
  expect(findings(core, roots)).toEqual([]);
  expect(findings(core, topology, roots)).toEqual([
    'tsconfig.build.json: references: lacks a reference to packages/topology',
    'tsconfig.json: references: lacks a reference to packages/topology/test',
  ]);
});

describe('files', () => {
  test.each([
    ['export default 1;\n', 1],
    ['const x = 1;\nexport { x as default };\n', 2],
    ["export { default } from './other.ts';\n", 1],
  ])('must not have a default export: %j', (text, line) => {
    expect(findings(samplePackage('core', { files: { 'src/extra.ts': text } }))).toEqual([
      `packages/core/src/extra.ts:${line}: default-export: a default export has no name to search for: export by name`,
    ]);
  });

  test.each([
    "export * from './main.ts';\n",
    'export const main = 1;\n',
    "import { main } from './main.ts';\nexport { main };\n",
  ])('src/index.ts must only re-export by name: %j', (text) => {
    expect(findings(samplePackage('core', { files: { 'src/index.ts': text } }))).toContainEqual(
      expect.stringContaining('packages/core/src/index.ts:1: index-re-exports-only: '),
    );
  });

  test('may have 500 lines, and not 501', () => {
    const ofLines = (count: number): Files =>
      samplePackage('core', { files: { 'src/long.ts': 'export const a = 1;\n' + '\n'.repeat(count - 1) } });
    expect(findings(ofLines(500))).toEqual([]);
    expect(findings(ofLines(501))).toEqual([
      'packages/core/src/long.ts: too-long: 501 lines: a file may have at most 500, so split it',
    ]);
  });

  test.each(['src/camelCase.ts', 'src/Upper.ts', 'src/some_folder/file.ts', 'test/Thing.test.ts'])(
    'must be in kebab-case: %s',
    (path) => {
      expect(findings(samplePackage('core', { files: { [path]: 'export const a = 1;\n' } }))).toContainEqual(
        expect.stringContaining(`packages/core/${path}: file-name: `),
      );
    },
  );
});

describe('the files of a package', () => {
  test('must include a README, and a test for code', () => {
    const files = [...core].filter(([path]) => !path.endsWith('README.md') && !path.endsWith('.test.ts'));
    expect(findings(new Map(files))).toEqual([
      'packages/core: anatomy: README.md is missing',
      'packages/core: anatomy: test/*.test.ts is missing',
    ]);
  });

  test('must include the licence, and a manifest without side effects', () => {
    expect(findings(samplePackage('core', { manifest: { license: 'MIT', sideEffects: true } }))).toEqual([
      'packages/core/package.json: anatomy: "license" is "MIT", expected "Apache-2.0"',
      'packages/core/package.json: anatomy: "sideEffects" is true, expected false',
    ]);
  });

  test('may include schemas that are exported unchanged', () => {
    const entry = { '@nccl-ts/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' };
    const exports = {
      '.': entry,
      './schema/report.v1.json': './schema/report.v1.json',
      './schema/other.json': './schema/report.v1.json',
      './data.json': './data.json',
    };
    expect(findings(samplePackage('core', { manifest: { exports } }))).toEqual([
      expect.stringMatching(/exports-map: "\.\/schema\/other\.json" has the conditions/),
      expect.stringMatching(/exports-map: "\.\/data\.json" has the conditions/),
    ]);
  });

  test('must be exported in order, and not from impl/', () => {
    const exports = {
      '.': { types: './dist/index.d.ts', '@nccl-ts/source': './src/index.ts', default: './dist/index.js' },
      './inner': {
        '@nccl-ts/source': './src/impl/inner.ts',
        types: './dist/impl/inner.d.ts',
        default: './dist/impl/inner.js',
      },
    };
    const files = { 'src/impl/inner.ts': 'export const a = 1;\n' };
    expect(findings(samplePackage('core', { manifest: { exports }, files }))).toEqual([
      'packages/core/package.json: exports-map: "." has the conditions types, @nccl-ts/source, default; expected @nccl-ts/source, types, default',
      'packages/core/package.json: exports-map: "./inner" leads into impl/, which is private to the package',
    ]);
  });
});

describe('circles of imports', () => {
  const circle = {
    'src/main.ts': "import { other } from './other.ts';\nexport const main = other;\n",
    'src/other.ts': "import type { Main } from './types.ts';\nexport const other: Main = 1;\n",
    'src/types.ts': "import { main } from './main.ts';\nexport type Main = typeof main | 1;\n",
  };
  const member = 'packages/core';
  const why = 'it is a test';
  const checkWith = (files: Readonly<Record<string, string>>, inherent: Inherent): readonly string[] =>
    checkRepository(sampleRepository(samplePackage('core', { files })), { ...inherent, typeNames: {} }).map(
      renderViolation,
    );
  const check = (files: Readonly<Record<string, string>>, ...listed: readonly (readonly string[])[]) =>
    checkWith(files, { circles: listed.map((circled) => ({ member, files: circled, why })), arrows: [] });
  const inFolder = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace('src/', 'src/folder/'), text]));

  test('between files are found, including those of types', () => {
    expect(check(inFolder(circle))).toEqual([
      'packages/core/src/folder/main.ts: import-circle: folder/main.ts, folder/other.ts, folder/types.ts import each other: ' +
        'move what they share into a file below both:\n' +
        '    folder/main.ts → folder/other.ts\n    folder/other.ts → folder/types.ts\n    folder/types.ts → folder/main.ts',
    ]);
  });

  test('are allowed if they are listed', () => {
    expect(check(inFolder(circle), ['folder/main.ts', 'folder/other.ts', 'folder/types.ts'])).toEqual([]);
    expect(check(inFolder(circle), ['folder/main.ts', 'folder/other.ts'])).toHaveLength(2);
  });

  test('must leave the list when they no longer exist', () => {
    expect(check({}, ['main.ts', 'other.ts'])).toEqual([
      'tooling/boundaries/src/inherent-circles.ts: import-circle: packages/core no longer has a circle of main.ts, other.ts: remove it from the list',
    ]);
  });

  const folders = {
    'src/a/one.ts': "import { two } from '../b/two.ts';\nexport const one = two;\n",
    'src/b/two.ts': 'export const two = 2;\n',
    'src/b/three.ts': "import type { Four } from '../a/four.ts';\nexport const three: Four = 4;\n",
    'src/a/four.ts': 'export type Four = 4;\n',
  };
  const circleOfFolders =
    'packages/core/src/a: import-circle: a, b import each other: move what they share into a room below both, fewest imports first:\n' +
    '    a/one.ts → b/two.ts\n    b/three.ts → a/four.ts';

  test('between folders are found, including those of types', () => {
    expect(check(folders)).toEqual([circleOfFolders]);
  });

  test('between folders are found through files at the root, of which each is a room', () => {
    const over = {
      ...folders,
      'src/b/three.ts': "import type { Four } from '../four.ts';\nexport const three: Four = 2;\n",
      'src/a/four.ts': 'export {};\n',
      'src/four.ts': "import type { one } from './a/one.ts';\nexport type Four = typeof one;\n",
    };
    expect(check(over)).toEqual([
      'packages/core/src/a: import-circle: a, b, four.ts import each other: move what they share into a room below both, fewest imports first:\n' +
        '    a/one.ts → b/two.ts\n    b/three.ts → four.ts\n    four.ts → a/one.ts',
    ]);
  });

  test('between folders are not closed by index.ts', () => {
    const { 'src/a/four.ts': _, 'src/b/three.ts': __, ...files } = folders;
    const index = "export { one } from './a/one.ts';\nexport { two } from './b/two.ts';\n";
    expect(check({ ...files, 'src/index.ts': index })).toEqual([]);
  });

  test('between rooms are allowed if the arrow that runs up is listed, and no longer', () => {
    const up = { member, from: 'b', to: 'a', why };
    expect(checkWith(folders, { circles: [], arrows: [up] })).toEqual([]);
    expect(checkWith({ ...folders, 'src/a/one.ts': '' }, { circles: [], arrows: [up] })).toEqual([
      'tooling/boundaries/src/inherent-circles.ts: import-circle: in packages/core nothing leads back from a to b: remove it from the list',
    ]);
  });

  test('between rooms are allowed at three places at most, each for a reason', () => {
    expect(inherentArrows.length).toBeLessThanOrEqual(3);
    for (const { why: reason } of [...inherentArrows, ...inherentCircles]) expect(reason).not.toBe('');
  });
});

describe('names of types', () => {
  const declarations = [
    'export interface Place {\n  readonly line: number;\n}\n',
    'type Place = number;\nexport const place: Place = 1;\n',
    'export abstract class Place {}\n',
  ];
  const check = (texts: readonly string[], typeNames: Allowed['typeNames'] = {}): readonly string[] => {
    const files = Object.fromEntries(texts.map((text, index) => [`src/declares-${index}.ts`, text]));
    const repository = sampleRepository(samplePackage('core', { files }));
    return checkRepository(repository, { circles: [], arrows: [], typeNames }).map(renderViolation);
  };

  test('may be declared twice, and not three times', () => {
    expect(check(declarations.slice(1))).toEqual([]);
    expect(check(declarations)).toEqual([
      'packages/core/src/declares-0.ts: type-name: 3 types are called Place, so say in each name what it is:\n' +
        '    packages/core/src/declares-0.ts\n    packages/core/src/declares-1.ts\n    packages/core/src/declares-2.ts',
    ]);
  });

  test('are counted where they are declared, not where they are used or written in a text', () => {
    const uses =
      "import type { Place } from './declares-0.ts';\nexport type { Place };\nexport const text = 'type Place';\n";
    expect(check([...declarations.slice(0, 2), uses])).toEqual([]);
  });

  test('may be declared more often for a reason, for as long as they are', () => {
    expect(check(declarations, { Place: 'it is a test' })).toEqual([]);
    expect(check(declarations.slice(1), { Place: 'it is a test' })).toEqual([
      'tooling/boundaries/src/shared-type-names.ts: type-name: Place is declared at most 2 times: remove it from the list',
    ]);
  });
});

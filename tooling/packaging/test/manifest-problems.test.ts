import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manifestProblems } from '../src/manifest-problems.ts';
import { publishedPackages, type PublishedPackage } from '../src/published-packages.ts';

const root = join(import.meta.dirname, '../../..');
const packages = publishedPackages(root);

/** A package with some fields changed. */
function changed(
  changes: Partial<PublishedPackage> & { readonly fields?: Readonly<Record<string, unknown>> },
): readonly string[] {
  const found = packages.find(({ name }) => name === '@nccl-ts/lsa');
  if (found === undefined) throw new Error('There is no package lsa.');
  const { fields = {}, ...others } = changes;
  return manifestProblems(root, [{ ...found, manifest: { ...Object(found.manifest), ...fields }, ...others }]);
}

test('every published package names its repository and has its install line', () => {
  expect(manifestProblems(root, packages)).toEqual([]);
  expect(packages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['nccl-ts', 'create-nccl-ts', '@nccl-ts/cli']),
  );
});

test('releases change the version of all published packages together', () => {
  const config: unknown = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8'));
  expect(config).toMatchObject({ fixed: [['@nccl-ts/*', 'nccl-ts', 'create-nccl-ts']] });
});

test('a package with another version is reported', () => {
  const [first, second] = packages;
  if (first === undefined || second === undefined) throw new Error('There are no packages.');
  expect(manifestProblems(root, [first, { ...second, version: '0.0.0' }])).toEqual([
    `${second.path}: its version is 0.0.0, but ${first.version} elsewhere`,
  ]);
});

test('a README that a registry would not show is reported', () => {
  expect(
    changed({ fields: { repository: 'nccl-ts', bugs: undefined, keywords: ['gpu'], files: ['dist', 'README.md'] } }),
  ).toEqual([
    'packages/lsa: "repository" must be {"type":"git","url":"git+https://github.com/nccl-ts/nccl-ts.git","directory":"packages/lsa"}',
    'packages/lsa: "bugs" must be "https://github.com/nccl-ts/nccl-ts/issues"',
    'packages/lsa: "keywords" lacks nccl',
    'packages/lsa: "files" lacks LICENSE, NOTICE',
  ]);
});

test('a package without the license is reported', () => {
  expect(changed({ folder: join(root, 'tooling/packaging') })).toEqual([
    "packages/lsa: LICENSE must be a copy of the root's",
    "packages/lsa: NOTICE must be a copy of the root's",
  ]);
});

test('a README whose program imports a package that its install line lacks is reported', () => {
  const program = "```ts\nimport { kernel } from '@nccl-ts/kernel';\n```\n";
  expect(changed({ readme: program })).toEqual(['packages/lsa: README.md lacks a line npm install']);
  expect(changed({ readme: `npm install @nccl-ts/lsa\n${program}` })).toEqual([
    'packages/lsa: README.md: the line npm install lacks @nccl-ts/kernel',
  ]);
  expect(changed({ readme: 'npm install @nccl-ts/lsa\n' })).toEqual(['packages/lsa: README.md shows no program']);
});

test('links that are broken on a registry are reported', () => {
  const good =
    "npm install @nccl-ts/lsa\n```ts\nimport '@nccl-ts/lsa';\n[a](b.md)\n```\n[c](#d) `[e](f)` [g](https://example.com)\n";
  expect(changed({ readme: good })).toEqual([]);
  const main = 'https://github.com/nccl-ts/nccl-ts/blob/main';
  expect(
    changed({
      readme: `${good}[h](../ir) [i](${main}/docs/checking.md#j) ![k](${main}/NOTICE) [l](${main}/none.md)\n`,
    }),
  ).toEqual([
    "packages/lsa: README.md: the link ../ir is broken on a registry's page",
    `packages/lsa: README.md: ${main}/NOTICE leads to nothing`,
    `packages/lsa: README.md: ${main}/none.md leads to nothing`,
  ]);
});

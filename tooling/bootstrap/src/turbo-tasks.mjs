import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './root.mjs';
import { importsByValue } from './value-imports.mjs';

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} folder from the root: `packages/core`
 * @property {readonly string[]} own the members that it names, including development dependencies
 * @property {readonly string[]} runtime those that it needs at run time, without those of which it
 * uses only types
 * @property {boolean} hasTests
 */

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [scripts]
 */

/** @returns {readonly Member[]} */
export function members() {
  const manifests = ['packages', 'apps', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => ({ folder, json: manifestOf(folder) })),
  );
  const names = new Set(manifests.map(({ json }) => json.name));
  return manifests.map(({ folder, json }) => {
    const { values, types } = importsByValue(join(root, folder));
    const runs = (/** @type {string} */ name) => values.has(name) || !types.has(name);
    const installed = { ...json.dependencies, ...json.peerDependencies, ...json.optionalDependencies };
    const runtime = known(installed, names).filter(runs);
    const own = [...new Set([...runtime, ...known(json.devDependencies, names).filter(runs)])];
    return { name: json.name, folder, own, runtime, hasTests: json.scripts?.test !== undefined };
  });
}

/**
 * @param {string} folder
 * @returns {Manifest}
 */
function manifestOf(folder) {
  /** @type {Manifest} */
  const json = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return json;
}

/**
 * @param {Record<string, string> | undefined} dependencies
 * @param {ReadonlySet<string>} names
 */
function known(dependencies, names) {
  return Object.keys(dependencies ?? {}).filter((name) => names.has(name));
}

/**
 * The tasks of turbo. Packages depend on each other in circles for their tests, which turbo's `^`
 * does not support. So each member's tests list the sources that they see: those of the members
 * that it names, and those that these need at run time.
 *
 * @param {readonly Member[]} all
 * @returns {Record<string, object>}
 */
export function turboTasks(all) {
  const byName = new Map(all.map((member) => [member.name, member]));
  /** @type {readonly (readonly [string, object])[]} */
  const tests = all
    .filter(({ hasTests }) => hasTests)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((member) => {
      const seen = readsAll.has(member.name) ? all.map(({ name }) => name) : [...reached(member, byName)];
      const dependsOn = seen.toSorted().map((name) => `${name}#sources`);
      return [`${member.name}#test`, { dependsOn, inputs: inputsOf(member), outputs: [] }];
    });
  /** @type {Record<string, object>} */
  const ofTests = Object.fromEntries(tests);
  return {
    // No package has a script of that name. Turbo is used only for the hash.
    sources: { inputs: ['$TURBO_DEFAULT$', '!test/**', '!results/**', '!etc/**', '!*.md'], outputs: [] },
    // The compiler builds the references of a package, and determines itself if they are up to
    // date.
    build: { inputs: ['src/**', 'package.json', 'tsconfig.json'], outputs: ['dist/**'] },
    typecheck: { outputs: [] },
    ...ofTests,
  };
}

/**
 * @param {Member} member
 * @param {ReadonlyMap<string, Member>} byName
 */
function reached({ name: own, own: first }, byName) {
  const found = new Set(first);
  for (const name of found) for (const next of byName.get(name)?.runtime ?? []) found.add(next);
  found.delete(own);
  return found;
}

/** The tools whose tests read all packages. */
const readsAll = new Set(
  ['boundaries', 'bootstrap', 'fences', 'packaging', 'prose', 'release', 'surface'].map((name) => `@nccl-ts/${name}`),
);

/** Pages and other files that are not sources but that tests read. */
const pages = [
  '$TURBO_ROOT$/docs/**',
  '$TURBO_ROOT$/*.md',
  '$TURBO_ROOT$/packages/*/README.md',
  '$TURBO_ROOT$/apps/*/README.md',
];
const settings = [
  '$TURBO_ROOT$/package.json',
  '$TURBO_ROOT$/.changeset/*',
  '$TURBO_ROOT$/.github/**',
  '$TURBO_ROOT$/packages/*/etc/*',
];

/**
 * @param {Member} member
 */
function inputsOf({ folder, name }) {
  if (readsAll.has(name)) return ['$TURBO_DEFAULT$', ...pages, ...settings];
  return folder.startsWith('packages/') ? ['$TURBO_DEFAULT$'] : ['$TURBO_DEFAULT$', ...pages];
}

/** The text of `turbo.json`. */
export function turboJson() {
  const config = {
    $schema: 'https://turborepo.com/schema.json',
    globalDependencies: ['tooling/tsconfig/*', 'tooling/vitest-projects/src/*', 'vitest.config.ts'],
    tasks: turboTasks(members()),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

import { posix } from 'node:path';

import { packageRules } from './layers.ts';
import { installedWith, record, type WorkspaceMember } from './members.ts';
import type { Files } from './repository.ts';
import { scope } from './specifier.ts';
import type { Violation } from './violation.ts';

/** The order matters, because a resolver takes the first condition that matches. */
const conditions = ['@nccl-ts/source', 'types', 'default'];

/**
 * Checks that every package has the same structure: its files, its manifest, and compiler
 * references that match its dependencies.
 */
export function checkAnatomy(members: readonly WorkspaceMember[], files: Files): readonly Violation[] {
  const ofMembers = members.flatMap((member) => [
    ...(member.group === 'packages' ? [...presence(member), ...manifest(member), ...exportsMap(member, files)] : []),
    ...(member.group === 'tooling' ? [] : references(members, member, files)),
  ]);
  return [...ofMembers, ...solutions(members, files)];
}

/**
 * Checks that the root's compiler files list every member, because a missing one is silently
 * neither built nor checked.
 */
function solutions(members: readonly WorkspaceMember[], files: Files): readonly Violation[] {
  const built = members.filter(({ group }) => group !== 'tooling').map(({ folder }) => folder);
  const tested = built.filter((folder) => files.has(`${folder}/test/tsconfig.json`)).map((folder) => `${folder}/test`);
  const tools = members.filter(({ folder, group }) => group === 'tooling' && files.has(`${folder}/tsconfig.json`));
  return [
    ...missingReferences('tsconfig.build.json', built, files),
    ...missingReferences('tsconfig.json', [...tested, ...tools.map(({ folder }) => folder)], files),
  ];
}

function missingReferences(path: string, targets: readonly string[], files: Files): readonly Violation[] {
  const text = files.get(path);
  if (text === undefined) return [];
  const given = referencesIn(path, text);
  return targets
    .filter((target) => !given.includes(target))
    .map((target) => ({ rule: 'references', path, message: `lacks a reference to ${target}` }));
}

function referencesIn(path: string, text: string): readonly string[] {
  const listed: unknown = record(JSON.parse(text))['references'];
  return (Array.isArray(listed) ? listed : []).map((reference: unknown) =>
    posix.join(posix.dirname(path), String(record(reference)['path'])),
  );
}

function presence({ folder, paths, sources }: WorkspaceMember): readonly Violation[] {
  const missing = ['README.md', 'tsconfig.json', 'src/index.ts', 'test/tsconfig.json'].filter(
    (file) => !paths.includes(`${folder}/${file}`),
  );
  const begun = sources.some(({ facts }) => !facts.empty);
  const tested = paths.some((path) => path.startsWith(`${folder}/test/`) && path.endsWith('.test.ts'));
  if (begun && !tested) missing.push('test/*.test.ts');
  return missing.map((file) => ({ rule: 'anatomy', path: folder, message: `${file} is missing` }));
}

function manifest({ directory, folder, manifest: found }: WorkspaceMember): readonly Violation[] {
  const expected = {
    name: packageRules[directory]?.name ?? `${scope}${directory}`,
    type: 'module',
    license: 'Apache-2.0',
    sideEffects: false,
    private: undefined,
  };
  return Object.entries(expected).flatMap(([key, value]) => {
    const given: unknown = Reflect.get(found, key);
    if (given === value) return [];
    const message = `"${key}" is ${JSON.stringify(given)}, expected ${JSON.stringify(value)}`;
    return [{ rule: 'anatomy' as const, path: `${folder}/package.json`, message }];
  });
}

function exportsMap({ folder, manifest: { exports } }: WorkspaceMember, files: Files): readonly Violation[] {
  const path = `${folder}/package.json`;
  return Object.entries(exports).flatMap(([entry, target]): readonly Violation[] => {
    // The manifest and schemas are published unchanged, so they have no build output.
    if (target === entry && (entry === './package.json' || /^\.\/schema\/[^/]+\.json$/.test(entry))) return [];
    const given = record(target);
    if (Object.keys(given).join() !== conditions.join()) {
      const message = `"${entry}" has the conditions ${Object.keys(given).join(', ')}; expected ${conditions.join(', ')}`;
      return [{ rule: 'exports-map', path, message }];
    }
    const source = String(given['@nccl-ts/source']);
    const stem = /^\.\/src\/(.+)\.ts$/.exec(source)?.[1];
    const matching = given['types'] === `./dist/${stem}.d.ts` && given['default'] === `./dist/${stem}.js`;
    if (stem === undefined || !matching || !files.has(posix.join(folder, source))) {
      return [
        { rule: 'exports-map', path, message: `"${entry}" does not lead to one source file and its build output` },
      ];
    }
    if (!stem.startsWith('impl/')) return [];
    return [{ rule: 'exports-map', path, message: `"${entry}" leads into impl/, which is private to the package` }];
  });
}

/**
 * tsc -b builds in the order of the references. A missing reference causes a failure only on a
 * clean clone.
 */
function references(members: readonly WorkspaceMember[], member: WorkspaceMember, files: Files): readonly Violation[] {
  const { folder, manifest: found } = member;
  const folderOf = (name: string): string | undefined => members.find((other) => other.manifest.name === name)?.folder;
  const wanted = (dependencies: Readonly<Record<string, unknown>>): readonly string[] =>
    Object.keys(dependencies).flatMap((name) => folderOf(name) ?? []);
  const expected: readonly (readonly [string, readonly string[]])[] = [
    [`${folder}/tsconfig.json`, wanted(installedWith(found))],
    [`${folder}/test/tsconfig.json`, [folder, ...wanted(found.devDependencies)]],
  ];
  return expected.flatMap(([path, targets]) => {
    const text = files.get(path);
    if (text === undefined) return [];
    const given = referencesIn(path, text);
    const differing = [
      ...targets.filter((target) => !given.includes(target)).map((target) => `lacks a reference to ${target}`),
      ...given.filter((target) => !targets.includes(target)).map((target) => `refers to ${target} for no dependency`),
    ];
    return differing.map((message) => ({ rule: 'references' as const, path, message }));
  });
}

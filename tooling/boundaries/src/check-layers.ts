import { posix } from 'node:path';

import { importable, packageRules } from './layers.ts';
import { installedWith, type WorkspaceMember, type SourceFile } from './members.ts';
import { scope, targetOf } from './specifier.ts';
import type { Violation } from './violation.ts';

/**
 * Checks the imports between members: layers, Node's built-ins in neutral packages, and imports of
 * another member's files.
 */
export function checkLayers(members: readonly WorkspaceMember[]): readonly Violation[] {
  return members.flatMap((member) => [
    ...unknownPackage(member),
    ...member.sources.flatMap((file) => [...layering(member, file), ...builtIns(member, file)]),
    ...[...member.sources, ...member.tests, ...member.pages].flatMap((file) => deepImports(members, member, file)),
    ...member.sources.flatMap((file) => sideEffects(member, file)),
    ...declared(member),
  ]);
}

function unknownPackage({ group, directory, folder }: WorkspaceMember): readonly Violation[] {
  if (group !== 'packages' || packageRules[directory] !== undefined) return [];
  const message = 'this package has no row in tooling/boundaries/src/layers.ts: decide its layer there';
  return [{ rule: 'unknown-package', path: `${folder}/package.json`, message }];
}

function layering({ group, directory }: WorkspaceMember, { path, facts }: SourceFile): readonly Violation[] {
  if (group === 'tooling') return [];
  return facts.imports.flatMap(({ specifier, line }): readonly Violation[] => {
    const target = targetOf(specifier);
    if (target.kind !== 'package' || !target.name.startsWith(scope)) return [];
    const problem = layerProblem(group, directory, target.name.slice(scope.length));
    return problem === undefined ? [] : [{ rule: 'layer', path, line, message: problem }];
  });
}

function layerProblem(group: string, from: string, to: string): string | undefined {
  const target = packageRules[to];
  if (target === undefined)
    return `${from} must not import ${to}: only packages may be imported, and there is no package of that name`;
  if (group !== 'packages') return undefined;
  if (from === to) return `${from} imports itself by name: use a relative path`;
  if (importable(from).has(to)) return undefined;
  const own = packageRules[from];
  if (own?.layer === target.layer) return `${from} must not import ${to}: both are in layer ${target.layer}`;
  if (to.startsWith('backend-')) return `${from} must not import ${to}: no package imports a backend`;
  return `${from} (layer ${own?.layer ?? '?'}) must not import ${to} (layer ${target.layer})`;
}

/**
 * The same rule for package.json, which could otherwise allow a later import.
 */
function declared({ group, directory, folder, manifest }: WorkspaceMember): readonly Violation[] {
  const path = `${folder}/package.json`;
  const forTests = new Set(packageRules[directory]?.testsMayUse);
  const problems = (names: readonly string[], allowed: (name: string) => boolean): readonly Violation[] =>
    names
      .filter((name) => name.startsWith(scope))
      .map((name) => name.slice(scope.length))
      .flatMap((name) => {
        const message = allowed(name) ? undefined : layerProblem(group, directory, name);
        return message === undefined ? [] : [{ rule: 'layer' as const, path, message }];
      });
  if (group === 'tooling') return [];
  return [
    ...problems(Object.keys(installedWith(manifest)), (name) => name === packageRules[directory]?.starts),
    ...problems(Object.keys(manifest.devDependencies), (name) => forTests.has(name)),
  ];
}

function builtIns({ group, directory }: WorkspaceMember, { path, facts }: SourceFile): readonly Violation[] {
  if (group !== 'packages' || packageRules[directory]?.platform !== 'neutral') return [];
  return facts.imports
    .filter(({ specifier }) => targetOf(specifier).kind === 'built-in')
    .map(({ specifier, line }) => ({
      rule: 'node-built-in',
      path,
      line,
      message: `${directory} also runs in browsers, so it must not import ${specifier}`,
    }));
}

function deepImports(
  members: readonly WorkspaceMember[],
  member: WorkspaceMember,
  { path, facts }: SourceFile,
): readonly Violation[] {
  return facts.imports.flatMap(({ specifier, line }): readonly Violation[] => {
    const target = targetOf(specifier);
    if (target.kind === 'relative') {
      const resolved = posix.join(posix.dirname(path), specifier);
      if (resolved.startsWith(`${member.folder}/`)) return [];
      // Tools are not published, and may use the code of a package's tests, which has no entry.
      if (member.group === 'tooling' && /^packages\/[^/]+\/test\//.test(resolved)) return [];
      const message = `${specifier} leaves ${member.folder}: import the other package by its name`;
      return [{ rule: 'deep-import', path, line, message }];
    }
    if (target.kind !== 'package') return [];
    const other = members.find(({ manifest }) => manifest.name === target.name);
    if (other === undefined || Object.hasOwn(other.manifest.exports, target.subpath)) return [];
    const message = `${specifier} is not an entry of ${target.name}: its "exports" has no "${target.subpath}"`;
    return [{ rule: 'deep-import', path, line, message }];
  });
}

function sideEffects({ group }: WorkspaceMember, { path, facts }: SourceFile): readonly Violation[] {
  if (group !== 'packages') return [];
  return facts.imports
    .filter(({ bare }) => bare)
    .map(({ specifier, line }) => ({
      rule: 'side-effect-import',
      path,
      line,
      message: `import '${specifier}' exists only for its side effects, but importing a package must have none`,
    }));
}

import { packageRules } from './layers.ts';
import { installedWith, type Manifest, type WorkspaceMember, type SourceFile } from './members.ts';
import { scope, targetOf } from './specifier.ts';
import type { Violation } from './violation.ts';

/**
 * Compares the dependencies that package.json declares with those that the files use. Tests may use
 * the root's tools without declaring them.
 */
export function checkDependencies(members: readonly WorkspaceMember[]): readonly Violation[] {
  return members
    .filter(({ group }) => group !== 'tooling')
    .flatMap((member) => [...undeclared(member), ...required(member), ...unused(member)]);
}

function undeclared({ directory, manifest, sources, tests, pages }: WorkspaceMember): readonly Violation[] {
  const ofSources = new Set(Object.keys(installedWith(manifest)));
  const ofTests = new Set([...ofSources, ...Object.keys(manifest.devDependencies)]);
  const missing = (files: readonly SourceFile[], declared: ReadonlySet<string>, which: (name: string) => boolean) =>
    files.flatMap(({ path, facts }) =>
      facts.imports.flatMap(({ specifier, line }): readonly Violation[] => {
        const target = targetOf(specifier);
        if (target.kind !== 'package' || declared.has(target.name) || !which(target.name)) return [];
        if (target.name === manifest.name) return [];
        const message = `${directory} uses ${target.name}, which its package.json does not declare`;
        return [{ rule: 'undeclared-dependency', path, line, message }];
      }),
    );
  return [
    ...missing(sources, ofSources, (name) => name.startsWith(scope)),
    // A release bundles the packages of others that only development installs.
    ...missing(sources, ofTests, (name) => !name.startsWith(scope)),
    ...missing([...tests, ...pages], ofTests, (name) => name.startsWith(scope)),
  ];
}

/**
 * A static import fails if the dependency is not installed, which a package must allow for optional
 * ones.
 */
function required({ directory, manifest, sources }: WorkspaceMember): readonly Violation[] {
  return sources.flatMap(({ path, facts }) =>
    facts.imports.flatMap(({ specifier, line, dynamic }): readonly Violation[] => {
      const target = targetOf(specifier);
      if (dynamic || target.kind !== 'package' || !Object.hasOwn(manifest.optionalDependencies, target.name)) return [];
      const message = `${directory} needs ${target.name}, which its package.json declares as optional: use import()`;
      return [{ rule: 'undeclared-dependency', path, line, message }];
    }),
  );
}

function unused({ directory, folder, manifest, sources, tests }: WorkspaceMember): readonly Violation[] {
  // An empty package uses nothing yet.
  if (sources.every(({ facts }) => facts.empty)) return [];
  const bySources = usedBy(sources);
  const byAnything = usedBy([...sources, ...tests]);
  const path = `${folder}/package.json`;
  const violations = (names: readonly string[], used: ReadonlySet<string>): readonly Violation[] =>
    names
      .filter((name) => !used.has(name))
      .map((name) => ({ rule: 'unused-dependency', path, message: `${directory} declares ${name} and never uses it` }));
  return [
    ...violations(Object.keys(runtimeDependencies(directory, manifest)), bySources),
    ...violations(
      Object.keys(testDependencies(directory, manifest)).filter((name) => name.startsWith(scope)),
      byAnything,
    ),
  ];
}

/**
 * Apps may start a dependency as a command or load it by path, which imports do not show. knip
 * checks those.
 */
function runtimeDependencies(
  directory: string,
  { dependencies: needed, optionalDependencies }: Manifest,
): Readonly<Record<string, unknown>> {
  const dependencies = { ...needed, ...optionalDependencies };
  const rule = packageRules[directory];
  const starts = rule?.starts;
  const started = starts === undefined ? undefined : (packageRules[starts]?.name ?? `${scope}${starts}`);
  if (rule !== undefined) return Object.fromEntries(Object.entries(dependencies).filter(([name]) => name !== started));
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => name.startsWith(scope)));
}

/** Modules among the fixtures of an app are loaded like a user's, and are not checked here. */
function testDependencies(directory: string, { devDependencies }: Manifest): Readonly<Record<string, unknown>> {
  return packageRules[directory] === undefined ? {} : devDependencies;
}

function usedBy(files: readonly SourceFile[]): ReadonlySet<string> {
  const used = new Set<string>();
  for (const { facts } of files) {
    for (const { specifier } of facts.imports) {
      const target = targetOf(specifier);
      if (target.kind === 'package') used.add(target.name);
    }
  }
  return used;
}

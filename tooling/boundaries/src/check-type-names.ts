import type { WorkspaceMember } from './members.ts';
import type { Files } from './repository.ts';
import type { Violation } from './violation.ts';

/** How often one name may be declared: in more places it says nothing of what it means. */
export const mostDeclarations = 2;

const declaration = /^(?:export )?(?:declare )?(?:abstract |const )?(?:interface|type|class|enum) (\w+)/gm;

/**
 * Checks that each name of an interface, type alias, class or enum is declared at most twice in all
 * sources. `shared` has the names that may be declared more often, each with its reason.
 */
export function checkTypeNames(
  members: readonly WorkspaceMember[],
  files: Files,
  shared: Readonly<Record<string, string>>,
): readonly Violation[] {
  const places = new Map<string, string[]>();
  for (const { path } of members.flatMap(({ sources, pages }) => [...sources, ...pages])) {
    // Only declarations that begin a line count, so the text of a program in a string seldom does.
    for (const [, name = ''] of (files.get(path) ?? '').matchAll(declaration)) {
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  const often = [...places].filter(([, paths]) => paths.length > mostDeclarations);
  const isShared = (name: string): boolean => Object.hasOwn(shared, name);
  return [
    ...often
      .filter(([name]) => !isShared(name))
      .map(([name, paths]) => ({
        rule: 'type-name' as const,
        path: paths[0] ?? '',
        message: `${paths.length} types are called ${name}, so say in each name what it is:${paths.map((path) => `\n    ${path}`).join('')}`,
      })),
    ...Object.keys(shared)
      .filter((name) => !often.some(([other]) => other === name))
      .map((name) => ({
        rule: 'type-name' as const,
        path: 'tooling/boundaries/src/shared-type-names.ts',
        message: `${name} is declared at most ${mostDeclarations} times: remove it from the list`,
      })),
  ];
}

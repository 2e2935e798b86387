import { posix } from 'node:path';

import type { InherentCircle } from './inherent-circles.ts';
import type { Member } from './members.ts';
import { strongComponents } from './strong-components.ts';
import type { Violation } from './violation.ts';

interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * Reports circles of imports between the files of a member, including type imports, and between the
 * folders of its sources. No part of a circle can be read, tested or moved alone. `inherent` lists
 * the allowed circles.
 */
export function checkCircles(members: readonly Member[], inherent: readonly InherentCircle[]): readonly Violation[] {
  return [
    ...members.flatMap((member) => [...fileCircles(member, inherent), ...folderCircles(member)]),
    ...members.flatMap((member) => obsolete(member, inherent)),
  ];
}

/** The relative imports between sources, as paths without `src/`. */
function importsOf({ folder, sources }: Member): readonly Import[] {
  const root = `${folder}/src/`;
  const known = new Set(sources.map(({ path }) => path));
  return sources.flatMap(({ path, facts }) =>
    facts.imports.flatMap(({ specifier }): readonly Import[] => {
      if (!specifier.startsWith('.')) return [];
      const to = posix.join(posix.dirname(path), specifier);
      return known.has(to) ? [{ from: path.slice(root.length), to: to.slice(root.length) }] : [];
    }),
  );
}

function edgesOf(imports: readonly Import[]): ReadonlyMap<string, ReadonlySet<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return edges;
}

function circlesIn(member: Member): readonly (readonly string[])[] {
  return strongComponents(edgesOf(importsOf(member)));
}

function fileCircles(member: Member, inherent: readonly InherentCircle[]): readonly Violation[] {
  const listed = inherent.filter((circle) => circle.member === member.folder);
  return circlesIn(member)
    .filter((circle) => !listed.some(({ files }) => circle.every((file) => files.includes(file))))
    .map((circle) => ({
      rule: 'import-circle',
      path: `${member.folder}/src/${circle[0] ?? ''}`,
      message: `${circle.join(', ')} import each other: move what they share into a file below both`,
    }));
}

/**
 * Files next to `index.ts` connect the folders. They may import any folder, and any folder may
 * import them.
 */
function folderCircles(member: Member): readonly Violation[] {
  const folderOf = (path: string): string | undefined => (path.includes('/') ? path.split('/')[0] : undefined);
  const between = importsOf(member).flatMap(({ from, to }): readonly Import[] => {
    const [a, b] = [folderOf(from), folderOf(to)];
    return a === undefined || b === undefined || a === b ? [] : [{ from: a, to: b }];
  });
  return strongComponents(edgesOf(between)).map((circle) => ({
    rule: 'import-circle',
    path: `${member.folder}/src/${circle[0] ?? ''}`,
    message: `the folders ${circle.join(', ')} import each other: move what they share into a folder below both`,
  }));
}

/**
 * A circle that no longer exists must be removed from the list, because it could otherwise return
 * unnoticed.
 */
function obsolete(member: Member, inherent: readonly InherentCircle[]): readonly Violation[] {
  const circles = circlesIn(member);
  return inherent
    .filter((circle) => circle.member === member.folder)
    .filter(({ files }) => !circles.some((circle) => circle.every((file) => files.includes(file))))
    .map(({ files }) => ({
      rule: 'import-circle',
      path: 'tooling/boundaries/src/inherent-circles.ts',
      message: `${member.folder} no longer has a circle of ${files.join(', ')}: remove it from the list`,
    }));
}

import { posix } from 'node:path';

import type { InherentArrow, InherentCircle } from './inherent-circles.ts';
import type { Member } from './members.ts';
import { strongComponents } from './strong-components.ts';
import type { Violation } from './violation.ts';

/** An import between two sources of one member, as paths without `src/`. */
interface Import {
  readonly from: string;
  readonly to: string;
}

/** The allowed circles of imports: between files of one room, and arrows between rooms. */
export interface Inherent {
  readonly circles: readonly InherentCircle[];
  readonly arrows: readonly InherentArrow[];
}

/**
 * Reports circles of imports between the files of a member, and between its rooms. Imports of types
 * count like others. A room is a folder of `src`, or a file at its root. Only `index.ts` connects
 * rooms. No part of a circle can be read, tested or moved alone.
 */
export function checkCircles(members: readonly Member[], { circles, arrows }: Inherent): readonly Violation[] {
  return members.flatMap((member) => {
    const imports = importsOf(member);
    const ofMember = <T extends { readonly member: string }>(listed: readonly T[]): readonly T[] =>
      listed.filter((entry) => entry.member === member.folder);
    return [...fileCircles(member, imports, ofMember(circles)), ...roomCircles(member, imports, ofMember(arrows))];
  });
}

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

function circlesIn(imports: readonly Import[]): readonly (readonly string[])[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return strongComponents(edges);
}

function fileCircles(
  { folder }: Member,
  imports: readonly Import[],
  listed: readonly InherentCircle[],
): readonly Violation[] {
  const circles = circlesIn(imports);
  const isWithin = (circle: readonly string[], files: readonly string[]): boolean =>
    circle.every((file) => files.includes(file));
  return [
    ...circles
      .filter((circle) => !listed.some(({ files }) => isWithin(circle, files)))
      .map((circle) => {
        const inside = imports.filter(({ from, to }) => circle.includes(from) && circle.includes(to));
        return violation(
          folder,
          circle,
          `move what they share into a file below both:\n${inside.map(line).join('\n')}`,
        );
      }),
    ...listed
      .filter(({ files }) => !circles.some((circle) => isWithin(circle, files)))
      .map(({ files }) => obsolete(`${folder} no longer has a circle of ${files.join(', ')}`)),
  ];
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function roomCircles(
  { folder }: Member,
  imports: readonly Import[],
  listed: readonly InherentArrow[],
): readonly Violation[] {
  const between = imports.filter(
    ({ from, to }) => roomOf(from) !== roomOf(to) && from !== 'index.ts' && to !== 'index.ts',
  );
  const arrows = between.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }));
  const without = (allowed: readonly InherentArrow[]): readonly Import[] =>
    arrows.filter((arrow) => !allowed.some(({ from, to }) => from === arrow.from && to === arrow.to));
  const circles = circlesIn(without(listed));
  return [
    ...circles.map((circle) => {
      const inside = between.filter(({ from, to }) => circle.includes(roomOf(from)) && circle.includes(roomOf(to)));
      const alike = (one: Import): number =>
        inside.filter(({ from, to }) => roomOf(from) === roomOf(one.from) && roomOf(to) === roomOf(one.to)).length;
      const lines = inside
        .map((one) => [alike(one), line(one)] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, text]) => text)
        .join('\n');
      return violation(folder, circle, `move what they share into a room below both, fewest imports first:\n${lines}`);
    }),
    ...listed
      .filter((arrow) => {
        const closed = circlesIn(without(listed.filter((other) => other !== arrow)));
        return !closed.some((circle) => circle.includes(arrow.from) && circle.includes(arrow.to));
      })
      .map(({ from, to }) => obsolete(`in ${folder} nothing leads back from ${to} to ${from}`)),
  ];
}

function line({ from, to }: Import): string {
  return `    ${from} → ${to}`;
}

function violation(folder: string, circle: readonly string[], remedy: string): Violation {
  const message = `${circle.join(', ')} import each other: ${remedy}`;
  return { rule: 'import-circle', path: `${folder}/src/${circle[0] ?? ''}`, message };
}

/** Something listed that no longer exists could otherwise return unnoticed. */
function obsolete(problem: string): Violation {
  return {
    rule: 'import-circle',
    path: 'tooling/boundaries/src/inherent-circles.ts',
    message: `${problem}: remove it from the list`,
  };
}

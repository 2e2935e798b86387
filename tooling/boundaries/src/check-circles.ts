import { posix } from 'node:path';

import type { InherentArrow, InherentCircle } from './inherent-circles.ts';
import type { WorkspaceMember, SourceFile } from './members.ts';
import { strongComponents } from './strong-components.ts';
import type { Violation } from './violation.ts';

/** An import between two sources of one member, as paths from their folder. */
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
 * count like others. A room is a folder, or a file beside folders. Only the `index.ts` of `src`
 * connects rooms. No part of a circle can be read, tested or moved alone.
 */
export function checkCircles(members: readonly WorkspaceMember[], { circles, arrows }: Inherent): readonly Violation[] {
  return members.flatMap((member) => {
    const ofMember = <T extends { readonly member: string }>(listed: readonly T[]): readonly T[] =>
      listed.filter((entry) => entry.member === member.folder);
    return [
      ...circlesOf(`${member.folder}/src`, member.sources, ofMember(circles), ofMember(arrows)),
      ...circlesOf(`${member.folder}/page`, member.pages, [], []),
    ];
  });
}

function circlesOf(
  root: string,
  files: readonly SourceFile[],
  circles: readonly InherentCircle[],
  arrows: readonly InherentArrow[],
): readonly Violation[] {
  const imports = importsOf(root, files);
  return [...fileCircles(root, imports, circles), ...roomCircles(root, imports, arrows)];
}

function importsOf(root: string, files: readonly SourceFile[]): readonly Import[] {
  const fromRoot = (path: string): string => posix.relative(root, path);
  const known = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path, facts }) =>
    facts.imports.flatMap(({ specifier }): readonly Import[] => {
      if (!specifier.startsWith('.')) return [];
      const to = posix.join(posix.dirname(path), specifier);
      return known.has(to) ? [{ from: fromRoot(path), to: fromRoot(to) }] : [];
    }),
  );
}

function circlesIn(imports: readonly Import[]): readonly (readonly string[])[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return strongComponents(edges);
}

function fileCircles(
  root: string,
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
        return violation(root, circle, `move what they share into a file below both:\n${inside.map(line).join('\n')}`);
      }),
    ...listed
      .filter(({ files }) => !circles.some((circle) => isWithin(circle, files)))
      .map(({ files }) => obsolete(`${root} no longer has a circle of ${files.join(', ')}`)),
  ];
}

/** The rooms of two files in the innermost folder that has both. */
function roomsOf(files: Import): Import {
  const [from, to] = [files.from.split('/'), files.to.split('/')];
  const level = from.findIndex((part, index) => part !== to[index]);
  return { from: from.slice(0, level + 1).join('/'), to: to.slice(0, level + 1).join('/') };
}

function roomCircles(root: string, imports: readonly Import[], listed: readonly InherentArrow[]): readonly Violation[] {
  const between = imports
    .filter(({ from, to }) => from !== to && from !== 'index.ts' && to !== 'index.ts')
    .map((files) => ({ files, rooms: roomsOf(files) }));
  const without = (allowed: readonly InherentArrow[]): readonly Import[] =>
    between
      .map(({ rooms }) => rooms)
      .filter((arrow) => !allowed.some(({ from, to }) => from === arrow.from && to === arrow.to));
  // Files of one folder are a circle of files.
  const circles = circlesIn(without(listed)).filter((circle) => !circle.every((room) => /\/.*\.ts$/.test(room)));
  return [
    ...circles.map((circle) => {
      const inside = between.filter(({ rooms }) => circle.includes(rooms.from) && circle.includes(rooms.to));
      const alike = (one: Import): number =>
        inside.filter(({ rooms }) => rooms.from === one.from && rooms.to === one.to).length;
      const lines = inside
        .toSorted((a, b) => alike(a.rooms) - alike(b.rooms))
        .map(({ files }) => line(files))
        .join('\n');
      return violation(root, circle, `move what they share into a room below both, fewest imports first:\n${lines}`);
    }),
    ...listed
      .filter((arrow) => {
        const closed = circlesIn(without(listed.filter((other) => other !== arrow)));
        return !closed.some((circle) => circle.includes(arrow.from) && circle.includes(arrow.to));
      })
      .map(({ from, to }) => obsolete(`in ${root} nothing leads back from ${to} to ${from}`)),
  ];
}

function line({ from, to }: Import): string {
  return `    ${from} → ${to}`;
}

function violation(root: string, circle: readonly string[], remedy: string): Violation {
  const message = `${circle.join(', ')} import each other: ${remedy}`;
  return { rule: 'import-circle', path: `${root}/${circle[0] ?? ''}`, message };
}

/** Something listed that no longer exists could otherwise return unnoticed. */
function obsolete(problem: string): Violation {
  return {
    rule: 'import-circle',
    path: 'tooling/boundaries/src/inherent-circles.ts',
    message: `${problem}: remove it from the list`,
  };
}

import { posix } from 'node:path';

import type { WorkspaceMember, SourceFile } from './members.ts';
import type { Violation } from './violation.ts';

/** The most lines of a file. A longer file must be split. */
export const longestSource = 500;

const fileName = /^[a-z0-9]+(-[a-z0-9]+)*(\.(slow|test|test-d|bench|config|d))*\.(ts|mts|mjs|js)$/;
const folderName = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Rules on single files: names, lengths, exports. */
export function checkSources(members: readonly WorkspaceMember[]): readonly Violation[] {
  return members.flatMap((member) => [
    ...[...member.sources, ...member.tests, ...member.pages].flatMap((file) => [
      ...syntax(file),
      ...name(member, file),
    ]),
    ...[...member.sources, ...member.pages].flatMap((file) => [...length(file), ...defaultExports(file)]),
    ...member.sources.flatMap((file) => indexReExportsOnly(member, file)),
  ]);
}

function syntax({ path, facts }: SourceFile): readonly Violation[] {
  return facts.syntaxErrors.map((message) => ({ rule: 'syntax', path, message }));
}

function name({ folder }: WorkspaceMember, { path }: SourceFile): readonly Violation[] {
  const folders = posix.dirname(path.slice(folder.length + 1)).split('/');
  const odd = folders.find((part) => !folderName.test(part));
  if (odd === undefined && fileName.test(posix.basename(path))) return [];
  return [{ rule: 'file-name', path, message: `${odd ?? posix.basename(path)} is not in kebab-case` }];
}

function length({ path, facts }: SourceFile): readonly Violation[] {
  if (facts.lines <= longestSource) return [];
  return [
    { rule: 'too-long', path, message: `${facts.lines} lines: a file may have at most ${longestSource}, so split it` },
  ];
}

/** Linters take a plugin from its default export. */
const loadedByDefault: ReadonlySet<string> = new Set(['packages/eslint-plugin/src/index.ts']);

function defaultExports({ path, facts }: SourceFile): readonly Violation[] {
  if (loadedByDefault.has(path)) return [];
  const message = 'a default export has no name to search for: export by name';
  return facts.defaultExports.map((line) => ({ rule: 'default-export', path, line, message }));
}

function indexReExportsOnly({ group, folder }: WorkspaceMember, { path, facts }: SourceFile): readonly Violation[] {
  if (group !== 'packages' || path !== `${folder}/src/index.ts`) return [];
  const message = "src/index.ts holds `export { name } from './file.ts'` and nothing else";
  return facts.notReExports.map((line) => ({ rule: 'index-re-exports-only', path, line, message }));
}

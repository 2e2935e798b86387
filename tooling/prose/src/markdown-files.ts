import { repositoryFiles } from './repository-files.ts';

/** Files that tools write for tools, and old texts. */
const skipped = [
  /^packages\/[^/]+\/etc\//,
  /^tooling\/surface\/ROWS\.md$/,
  /(^|\/)CHANGELOG\.md$/,
  /\/(snapshots|fixtures)\//,
];

/** Pages that programs write, and notes that are not edited. */
const generated = [
  /^tooling\/mutants\/SURVIVORS\.md$/,
  /^docs\/reference\/codes\.md$/,
  /^docs\/museum\//,
  /\/results\//,
];

/** The Markdown files that people read, from the repository's root. */
export function markdownFiles(): readonly string[] {
  return repositoryFiles('*.md').filter((file) => !skipped.some((pattern) => pattern.test(file)));
}

/** True if people write the file. */
export function isWritten(file: string): boolean {
  return !generated.some((pattern) => pattern.test(file));
}

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Made by tools for tools, or the words of another time. */
const skipped = [
  /^packages\/[^/]+\/etc\//,
  /^packages\/conformance\/ROWS\.md$/,
  /(^|\/)CHANGELOG\.md$/,
  /\/(snapshots|fixtures)\//,
];

/** Pages that programs write, and notes that are kept as they were. */
const generated = [
  /^tooling\/mutants\/SURVIVORS\.md$/,
  /^docs\/reference\/codes\.md$/,
  /^docs\/museum\//,
  /\/results\//,
];

/** The Markdown files that people read, from the repository's root. */
export function markdownFiles(): readonly string[] {
  const text = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  return text.split('\0').filter((file) => file !== '' && !skipped.some((pattern) => pattern.test(file)));
}

/** True if people write the file. */
export function isWritten(file: string): boolean {
  return !generated.some((pattern) => pattern.test(file));
}

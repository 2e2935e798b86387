import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Made by programs, or kept as they were written at their time. */
const generated = [
  /^packages\/[^/]+\/etc\//,
  /^packages\/conformance\/ROWS\.md$/,
  /^tooling\/mutants\/SURVIVORS\.md$/,
  /^docs\/reference\/codes\.md$/,
  /^docs\/museum\//,
  /(^|\/)CHANGELOG\.md$/,
  /\/snapshots\//,
  /\/results\//,
];

/** The Markdown files that people write, from the repository's root. */
export function markdownFiles(): readonly string[] {
  const text = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  return text.split('\0').filter((file) => file !== '' && !generated.some((pattern) => pattern.test(file)));
}

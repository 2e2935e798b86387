import { execFileSync } from 'node:child_process';
import { root } from './markdown-files.ts';

/** Made by programs, or input of tests whose text is part of what they test. */
const exempt = [/(^|\/)fixtures\//, /(^|\/)snapshots\//, /\/dist\//, /\/worker-text\.ts$/, /\.d\.[cm]?ts$/];

/** The TypeScript and JavaScript sources that people write, from the repository's root. */
export function typescriptFiles(): readonly string[] {
  const text = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'packages', 'apps', 'tooling'],
    { cwd: root, encoding: 'utf8' },
  );
  return text
    .split('\0')
    .filter((file) => /\.(ts|mts|mjs)$/.test(file) && !exempt.some((pattern) => pattern.test(file)));
}

import { repositoryFiles } from './repository-files.ts';

/** Generated files, and inputs of tests that depend on their text. */
const exempt = [/(^|\/)fixtures\//, /(^|\/)snapshots\//, /\/dist\//, /\/worker-text\.ts$/, /\.d\.[cm]?ts$/];

/** The TypeScript and JavaScript sources that people write, from the repository's root. */
export function typescriptFiles(): readonly string[] {
  return repositoryFiles('packages', 'apps', 'tooling').filter(
    (file) => /\.(ts|mts|mjs)$/.test(file) && !exempt.some((pattern) => pattern.test(file)),
  );
}

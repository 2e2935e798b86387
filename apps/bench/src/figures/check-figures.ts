import { unsourcedClaims, unsourcedClaimsOfComments, unsourcedTables, withTables } from './readme-tables.ts';
import type { Repository } from './repository.ts';
import { commitOf, measuredPaths, missingIn } from './results-files.ts';

/** The problems of a repository's figures, and those that may be out of date: one line each. */
export interface FiguresReport {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const COMMAND = 'node apps/bench/dist/figures/main.js --update';

/** Compares every README with the files from which its tables are made. */
export function checkFigures(repository: Repository): FiguresReport {
  const read = (path: string): string => repository.read(path);
  const problems: string[] = [];
  for (const path of repository.readmes) {
    const readme = read(path);
    if (withTables(readme, read) !== readme)
      problems.push(`${path}: a table differs from the one that its file of results makes: ${COMMAND}`);
    for (const head of unsourcedTables(readme)) {
      problems.push(`${path}: a table has figures, but no file of results: ${head}`);
    }
  }
  for (const path of [...repository.readmes, ...repository.documents]) {
    for (const claim of unsourcedClaims(read(path))) {
      problems.push(`${path}: claims "${claim}": make a table from a file of results, or remove the figure`);
    }
  }
  for (const path of repository.sources) {
    for (const claim of unsourcedClaimsOfComments(read(path))) {
      problems.push(
        `${path}: a comment claims "${claim}": remove the figure, or state it where a file of results can support it`,
      );
    }
  }
  const warnings: string[] = [];
  const { hasHistory } = repository;
  if (!hasHistory) warnings.push('there is no git history here, so outdated result files cannot be found');
  for (const file of repository.results) {
    const text = read(file);
    const missing = missingIn(text, file);
    const paths = measuredPaths(file);
    if (missing.length > 0) problems.push(`${file}: lacks its ${missing.join(', ')}`);
    if (paths === undefined)
      problems.push(`${file}: apps/bench/src/figures/results-files.ts does not list the sources that it measures`);
    if (missing.length > 0 || paths === undefined || !hasHistory) continue;
    const commit = commitOf(text, file);
    const changes = repository.changesSince(commit, paths);
    if (changes === undefined) warnings.push(`${file}: git does not know its commit, ${commit}`);
    else if (changes > 0) {
      warnings.push(`${file}: it is outdated: ${changes} later commits have changed its sources (${paths.join(', ')})`);
    }
  }
  return { problems, warnings };
}

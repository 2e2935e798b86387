import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFigures } from './check-figures.ts';
import { withTables } from './readme-tables.ts';
import { Repository } from './repository.ts';

/*
 * True if the tables of READMEs are what their files make: node apps/bench/dist/figures/main.js
 * [--update] With --update writes them anew. Also reports results whose measured sources have
 * changed since, which is not a failure.
 */

const repository = new Repository(fileURLToPath(new URL('../../../..', import.meta.url)));
if (process.argv.includes('--update')) {
  for (const path of repository.readmes) {
    const before = repository.read(path);
    const after = withTables(before, (file) => repository.read(file));
    if (after !== before) writeFileSync(join(repository.root, path), after);
  }
}
const { problems, warnings } = checkFigures(repository);
for (const warning of warnings) console.log(`warning: ${warning}`);
for (const problem of problems) console.error(`error: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

import { join } from 'node:path';
import process from 'node:process';

import { mappingProblems } from './check-mapping.ts';
import { mapping } from './mapping.ts';
import { publicNames } from './public-api.ts';
import { renderTable } from './render-table.ts';
import { readSurface } from './surface.ts';

const surface = readSurface(join(import.meta.dirname, '../surface.json'));
const packages = publicNames(join(import.meta.dirname, '../../..'));
const problems = mappingProblems(surface.symbols, mapping, packages);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(renderTable(surface, mapping, new Set(packages.keys())));

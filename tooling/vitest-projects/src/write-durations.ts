import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { durationsFile, readDurations, readReport, withReport } from './durations.ts';

/** Records how long the test files took in the last run of `npm test`. */
const root = join(import.meta.dirname, '../../..');
const durations = withReport(readDurations(root), readReport(root), root);
writeFileSync(durationsFile(root), `${JSON.stringify(durations, undefined, 2)}\n`);
console.log(`${Object.keys(durations).length} slow test files`);

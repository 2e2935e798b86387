import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { checkRepository, renderViolation } from './check-repository.ts';
import { inherentArrows, inherentCircles } from './inherent-circles.ts';
import { readRepository } from './repository.ts';
import { sharedTypeNames } from './shared-type-names.ts';

/** `node --import tsx tooling/boundaries/src/main.ts [ROOT]` */
const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../../..');
const files = readRepository(root);
const violations = checkRepository(files, {
  circles: inherentCircles,
  arrows: inherentArrows,
  typeNames: sharedTypeNames,
});
for (const violation of violations) console.error(renderViolation(violation));
if (violations.length > 0) process.exitCode = 1;
else console.log(`boundaries: ${files.size} files, no violation`);

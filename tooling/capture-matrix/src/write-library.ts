import { writeFileSync } from 'node:fs';

import { captureLibrary } from './library/library-captures.ts';

const [, , path, scope] = process.argv;
if (path === undefined || (scope !== 'few' && scope !== 'all')) throw new Error('usage: write-library FILE few | all');
writeFileSync(path, JSON.stringify(await captureLibrary(scope)));

import { writeFileSync } from 'node:fs';

import { capture } from './captures.ts';

const [, , path] = process.argv;
if (path === undefined) throw new Error('usage: write-captures <file>');
writeFileSync(path, JSON.stringify(await capture()));

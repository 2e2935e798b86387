/** Writes the `turbo.json` that follows from the packages: `node tooling/bootstrap/src/write-turbo-json.mjs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './root.mjs';
import { turboJson } from './turbo-tasks.mjs';

writeFileSync(join(root, 'turbo.json'), turboJson());

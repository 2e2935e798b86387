/** Writes `turbo.json` from the packages: `npm run turbo-tasks`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './root.mjs';
import { turboJson } from './turbo-tasks.mjs';

writeFileSync(join(root, 'turbo.json'), turboJson());

import { writeFile } from 'node:fs/promises';

import { makeWorkerText, workerTextFile } from './make-worker-text.ts';

await writeFile(workerTextFile, await makeWorkerText());

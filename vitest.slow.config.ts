import { defineConfig } from 'vitest/config';

import { writeWorkerText } from './tooling/bootstrap/src/worker-text.mjs';
import { testConfig } from './tooling/vitest-projects/src/test-config.ts';

// Worker threads must run the simulator of this moment.
await writeWorkerText();

/** The tests that `npm test` leaves out: the files `*.slow.test.ts`. */
export default defineConfig(testConfig(import.meta.dirname, 'slow'));

import { defineConfig } from 'vitest/config';

import { writeWorkerText } from './tooling/bootstrap/src/worker-text.mjs';
import { testConfig } from './tooling/vitest-projects/src/test-config.ts';

// Worker threads must run the simulator of this moment.
await writeWorkerText();

/** All tests but the slow ones. */
export default defineConfig(testConfig(import.meta.dirname, 'quick'));

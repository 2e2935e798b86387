import { defineConfig } from 'vitest/config';

import { writeWorkerText } from './tooling/bootstrap/src/worker-text.mjs';
import { LongestFirst } from './tooling/vitest-projects/src/longest-first.ts';
import { workspaceProjects } from './tooling/vitest-projects/src/projects.ts';

// Worker threads must run the simulator of this moment.
await writeWorkerText();

export default defineConfig({
  test: {
    projects: workspaceProjects(import.meta.dirname),
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // What one project has transformed, the others do not transform again.
    experimental: { fsModuleCache: true },
    // CI has two cores; more workers than that only make time-outs likelier.
    maxWorkers: 2,
    // Tests leave much garbage that is young: with more room for it they take a tenth less time.
    execArgv: ['--max-semi-space-size=64'],
    coverage: {
      // Never istanbul: its counters land inside kernels and change the text that capture reads.
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'],
      reporter: ['text-summary', 'lcovonly'],
    },
  },
});

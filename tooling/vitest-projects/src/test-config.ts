import type { ViteUserConfig } from 'vitest/config';

import { workspaceProjects, type Speed } from './projects.ts';

/** The configuration of a run of the quick or of the slow tests of the repository at `root`. */
export function testConfig(root: string, speed: Speed): ViteUserConfig {
  return {
    test: {
      projects: workspaceProjects(root, speed),
      pool: 'forks',
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
  };
}

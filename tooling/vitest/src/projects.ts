import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { TestProjectInlineConfiguration } from 'vitest/config';

/** The condition under which the packages' `exports` lead to their sources, so that tests need no build. */
const SOURCE_CONDITION = '@nccl-ts/source';

/**
 * One vitest project for each workspace member that has a `test` folder, named after its folder.
 *
 * With `TEST_BUILT=1` in the environment, imports of other packages lead to their built files in `dist` instead: what a
 * user of the published packages gets.
 */
export function workspaceProjects(root: string): TestProjectInlineConfiguration[] {
  const own = process.env['TEST_BUILT'] === '1' ? [] : [SOURCE_CONDITION];
  const conditions = [...own, 'module', 'node', 'development|production'];
  return ['packages', 'apps', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, group, entry.name, 'test')))
      .map((entry) => ({
        extends: true as const,
        resolve: { conditions },
        ssr: { resolve: { conditions, externalConditions: ['node'] } },
        test: {
          name: entry.name,
          root: join(root, group, entry.name),
          include: ['test/**/*.test.ts'],
          exclude: ['test/fixtures/**'],
          environment: 'node' as const,
          // For what hangs, not for what is slow: machines are shared, and none of the tests times anything.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      })),
  );
}

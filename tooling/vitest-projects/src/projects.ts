import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { playwright } from '@vitest/browser-playwright';
import type { TestProjectInlineConfiguration } from 'vitest/config';

import { chromiumFlags, chromiumPath, chromiumProblem } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether what is missing here is a failure: machines of CI can install it. */
    readonly ci: boolean;
  }
}

/** The condition under which the packages' `exports` lead to their sources, so that tests need no build. */
const SOURCE_CONDITION = '@nccl-ts/source';

/** A workspace member with tests. */
interface Member {
  readonly name: string;
  readonly root: string;
}

/**
 * One vitest project for each workspace member that has a `test` folder, named after its folder; and one more for those
 * with tests in `test/chromium`, which run there and not in Node. Without Chromium there are none of the latter, and the
 * test of this package says so.
 *
 * With `TEST_BUILT=1` in the environment, imports of other packages lead to their built files in `dist` instead: what a
 * user of the published packages gets.
 */
export function workspaceProjects(root: string): TestProjectInlineConfiguration[] {
  const members = ['packages', 'apps', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, group, entry.name, 'test')))
      .map((entry): Member => ({ name: entry.name, root: join(root, group, entry.name) })),
  );
  const inChromium = chromiumProblem() === undefined ? members.filter(hasChromiumTests) : [];
  return [...members.map(nodeProject), ...inChromium.map(chromiumProject)];
}

function hasChromiumTests({ root }: Member): boolean {
  return existsSync(join(root, 'test/chromium'));
}

function conditionsFor(platform: 'node' | 'browser'): string[] {
  const own = process.env['TEST_BUILT'] === '1' ? [] : [SOURCE_CONDITION];
  return [...own, 'module', platform, 'development|production'];
}

const timeouts = {
  // For what hangs, not for what is slow: machines are shared, and none of the tests times anything.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

function nodeProject({ name, root }: Member): TestProjectInlineConfiguration {
  const conditions = conditionsFor('node');
  return {
    extends: true,
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: ['node'] } },
    test: {
      name,
      root,
      include: ['test/**/*.test.ts'],
      exclude: ['test/fixtures/**', 'test/chromium/**'],
      environment: 'node',
      ...timeouts,
    },
  };
}

function chromiumProject({ name, root }: Member): TestProjectInlineConfiguration {
  return {
    extends: true,
    resolve: { conditions: conditionsFor('browser') },
    // With these a page may share memory and has exact clocks.
    server: {
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    },
    test: {
      name: `${name} (browsers)`,
      root,
      include: ['test/chromium/**/*.test.ts'],
      provide: { ci: process.env['CI'] === 'true' },
      ...timeouts,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({ launchOptions: { executablePath: chromiumPath, args: [...chromiumFlags] } }),
        instances: [{ browser: 'chromium', name: `${name} (chromium)` }],
      },
    },
  };
}

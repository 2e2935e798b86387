import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { playwright } from '@vitest/browser-playwright';
import type { TestProjectInlineConfiguration } from 'vitest/config';

import { chromiumFlags, chromiumPath, chromiumProblem } from './chromium.ts';

/**
 * The condition under which the packages' `exports` resolve to their sources, so that tests need no
 * build.
 */
const SOURCE_CONDITION = '@nccl-ts/source';

/** A workspace member with tests. */
interface Member {
  readonly name: string;
  readonly root: string;
}

/**
 * The tests that run in Node as a few vitest projects, and one more for each workspace member with
 * tests in `test/chromium`, which run there and not in Node. Without Chromium the latter do not
 * exist, and the test of this package reports that.
 *
 * Most files in Node share a module graph, because loading the packages' sources for each of over
 * two hundred files takes longer than most files. So a test must not leave changes in modules that
 * it imports. Spies, stubbed globals and stubbed environment variables are restored after each
 * test. The few files that must change modules have separate processes.
 *
 * With `TEST_BUILT=1` in the environment, imports of other packages resolve to their built files in
 * `dist`, as for a user of the published packages.
 */
export function workspaceProjects(root: string): TestProjectInlineConfiguration[] {
  const members = ['packages', 'apps', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, group, entry.name, 'test')))
      .map((entry): Member => ({ name: entry.name, root: join(root, group, entry.name) })),
  );
  const inChromium = chromiumProblem() === undefined ? members.filter(hasChromiumTests) : [];
  return [...nodeProjects(root), ...inChromium.map(chromiumProject)];
}

function hasChromiumTests({ root }: Member): boolean {
  return existsSync(join(root, 'test/chromium'));
}

function conditionsFor(platform: 'node' | 'browser'): string[] {
  const own = process.env['TEST_BUILT'] === '1' ? [] : [SOURCE_CONDITION];
  return [...own, 'module', platform, 'development|production'];
}

/** Tests take these with `inject`. */
const provided = { ci: process.env['CI'] === 'true', everyCase: process.env['NCCLTS_EVERY_CASE'] !== undefined };

const timeouts = {
  // A limit for hanging tests, not for slow ones, because machines are shared and no test measures
  // time.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/**
 * Files that need their own process: those that load a stand-in for the GPU driver into it, and
 * those that test actions which a process performs only once.
 */
const alone = [
  'packages/backend-cuda/test/{communicator,fake-gpu,nvrtc,print,shared-gpu}.test.ts',
  'packages/backend-cuda/test/internal/print-ring.test.ts',
  'packages/collectives/test/new-algorithm.test.ts',
  'packages/kernel/test/capture-matrix/locate-function.test.ts',
  'tooling/vitest-projects/test/**/*.test.ts',
];

/**
 * Files that share their module graphs. The caches of a graph are freed when its worker ends, so
 * there are several workers, none of which grows too large.
 */
const together: Readonly<Record<string, readonly string[]>> = {
  simulator: ['packages/backend-sim'],
  webgpu: ['packages/backend-webgpu', 'packages/webgpu-distributed'],
  apps: ['apps/*', 'tooling/*'],
  packages: ['packages/!(backend-sim|backend-webgpu|webgpu-distributed)'],
};

function nodeProjects(root: string): TestProjectInlineConfiguration[] {
  const conditions = conditionsFor('node');
  const never = ['**/node_modules/**', '**/test/fixtures/**', '**/test/chromium/**'];
  const project = (name: string, include: string[], exclude: string[], isolate: boolean) => ({
    extends: true as const,
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: ['node'] } },
    test: {
      name,
      root,
      include,
      exclude: [...never, ...exclude],
      environment: 'node' as const,
      provide: provided,
      isolate,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      ...timeouts,
    },
  });
  const sharing = Object.entries(together).map(([name, folders]) => {
    const include = folders.map((folder) => `${folder}/test/**/*.test.ts`);
    return project(name, include, alone, false);
  });
  return [...sharing, project('alone', alone, [], true)];
}

function chromiumProject({ name, root }: Member): TestProjectInlineConfiguration {
  return {
    extends: true,
    resolve: { conditions: conditionsFor('browser') },
    // With these headers a page can share memory and has exact clocks.
    server: {
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    },
    test: {
      name: `${name} (browsers)`,
      root,
      include: ['test/chromium/**/*.test.ts'],
      provide: provided,
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

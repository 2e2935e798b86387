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

/** The test files of a run. `quick` has all but the slow ones, for which `npm test` has no time. */
export type Speed = 'quick' | 'slow';

/** The ends of the names of test files. */
const suffixes: Readonly<Record<Speed, string>> = { quick: '.test.ts', slow: '.slow.test.ts' };

/** Patterns of what a run leaves out, although it has such a suffix. */
const leftOut: Readonly<Record<Speed, readonly string[]>> = { quick: ['**/*.slow.test.ts'], slow: [] };

/**
 * The tests that run in Node as a few vitest projects, and one more for those in folders
 * `test/chromium`, which run there and not in Node. Without Chromium the latter does not exist, and
 * the test of this package reports that.
 *
 * Most files in Node share a module graph, because loading the packages' sources for each of over
 * two hundred files takes longer than most files. So a test must not leave changes in modules that
 * it imports. Spies, stubbed globals and stubbed environment variables are restored after each
 * test. The few files that must change modules have separate processes.
 *
 * With `TEST_BUILT=1` in the environment, imports of other packages resolve to their built files in
 * `dist`, as for a user of the published packages.
 */
export function workspaceProjects(root: string, speed: Speed): TestProjectInlineConfiguration[] {
  const inChromium = chromiumProblem() === undefined ? chromiumFolders(root) : [];
  return [...nodeProjects(root, speed), ...(inChromium.length === 0 ? [] : [chromiumProject(root, inChromium, speed)])];
}

/** The folders `test/chromium` of workspace members, relative to `root`. */
function chromiumFolders(root: string): readonly string[] {
  return ['packages', 'apps', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => {
      const folder = `${group}/${name}/test/chromium`;
      return existsSync(join(root, folder)) ? [folder] : [];
    }),
  );
}

function conditionsFor(platform: 'node' | 'browser'): string[] {
  const own = process.env['TEST_BUILT'] === '1' ? [] : [SOURCE_CONDITION];
  return [...own, 'module', platform, 'development|production'];
}

/** The input that tests take with `inject`: see `tooling/tsconfig/provided.d.ts`. */
function provided(speed: Speed) {
  const everyCase = process.env['NCCLTS_EVERY_CASE'] !== undefined;
  return { ci: process.env['CI'] === 'true', slow: speed === 'slow', everyCase };
}

const timeouts = {
  // A limit for hanging tests, not for slow ones, because machines are shared and no test measures
  // time.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/**
 * Files, without their suffix, that need their own process: those that load a stand-in for the GPU
 * driver into it, and
 * those that test actions which a process performs only once.
 */
const alone = [
  'packages/backend-cuda/test/{communicator,fake-gpu,nvrtc,print,shared-gpu}',
  'packages/backend-cuda/test/internal/print-ring',
  'packages/collectives/test/new-algorithm',
  'packages/kernel/test/capture-matrix/locate-function',
  'tooling/vitest-projects/test/**/*',
];

/**
 * Files that share their module graphs. The caches of a graph are freed when its worker ends, so
 * there are several workers, none of which grows too large.
 */
const together: Readonly<Record<string, readonly string[]>> = {
  simulator: ['packages/{backend-sim,checker,codegen,cost-model,cpu-collectives,prediction}', 'tooling/suite-*'],
  webgpu: ['packages/{backend-webgpu,webgpu-distributed}'],
  apps: ['apps/*', 'apps/bench/cpu-collectives', 'tooling/!(suite-*)'],
  packages: [
    'packages/!(backend-sim|backend-webgpu|checker|codegen|cost-model|cpu-collectives|prediction|webgpu-distributed)',
  ],
};

function nodeProjects(root: string, speed: Speed): TestProjectInlineConfiguration[] {
  const conditions = conditionsFor('node');
  const never = ['**/node_modules/**', '**/test/fixtures/**', '**/test/chromium/**', ...leftOut[speed]];
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
      provide: provided(speed),
      isolate,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      ...timeouts,
    },
  });
  const own = alone.map((file) => `${file}${suffixes[speed]}`);
  const sharing = Object.entries(together).map(([name, folders]) => {
    const include = folders.map((folder) => `${folder}/test/**/*${suffixes[speed]}`);
    return project(name, include, own, false);
  });
  return [...sharing, project('alone', own, [], true)];
}

/** One project for all folders, because its server transforms each source file once. */
function chromiumProject(root: string, folders: readonly string[], speed: Speed): TestProjectInlineConfiguration {
  return {
    extends: true,
    resolve: { conditions: conditionsFor('browser') },
    // With these headers a page can share memory and has exact clocks.
    server: {
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    },
    test: {
      name: 'browsers',
      root,
      include: folders.map((folder) => `${folder}/**/*${suffixes[speed]}`),
      exclude: ['**/node_modules/**', ...leftOut[speed]],
      provide: provided(speed),
      ...timeouts,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        // Files load the sources once.
        isolate: false,
        provider: playwright({ launchOptions: { executablePath: chromiumPath, args: [...chromiumFlags] } }),
        instances: [{ browser: 'chromium', name: 'chromium' }],
      },
    },
  };
}

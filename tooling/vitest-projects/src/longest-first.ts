import { relative } from 'node:path';

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files of each project, with the slowest first. */
const longest: readonly string[] = [
  'apps/examples/test/checked.test.ts',
  'tooling/capture-matrix/test/capture-matrix.test.ts',
  'tooling/capture-matrix/test/vite-page.test.ts',
  'tooling/mutants/test/campaign.test.ts',
  'tooling/fences/test/guides.test.ts',
  'apps/examples/test/host-examples.test.ts',
  'apps/examples/test/collective-groups.test.ts',
  'apps/cli/test/newcomer.test.ts',
  'apps/examples/test/museum.test.ts',
  'apps/examples/test/schedules-network.test.ts',
  'apps/examples/test/examples.test.ts',
  'apps/cli/test/command.test.ts',
  'apps/cli/test/check.test.ts',
  'packages/kernel/test/fuzz.test.ts',
  'packages/backend-sim/test/conformance.test.ts',
  'packages/backend-sim/test/collectives.test.ts',
  'packages/backend-sim/test/network/gin-litmus.test.ts',
  'packages/backend-sim/test/emit-wasm/engines.test.ts',
  'packages/backend-sim/test/check/bug-classes.test.ts',
  'packages/backend-webgpu/test/conformance.test.ts',
  'packages/backend-webgpu/test/collectives.test.ts',
  'packages/backend-webgpu/test/devices.test.ts',
  'packages/backend-webgpu/test/arithmetic/operations.test.ts',
];

/**
 * vitest's own order, except for files without a recorded duration, as in a new clone. Then each
 * project begins with the slowest files. A slow file that starts last would run alone while the
 * other cores are idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const pathOf = ({ moduleId }: TestSpecification): string => relative(root, moduleId).replaceAll('\\', '/');
    const isKnown = ({ project, moduleId }: TestSpecification): boolean =>
      this.ctx.cache.getFileTestResults(`${project.name}:${relative(root, moduleId)}`) !== undefined;
    if (sorted.some(isKnown)) return sorted;
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      const long = longest.flatMap((path) => own.filter((file) => pathOf(file) === path));
      return [...long, ...own.filter((file) => !long.includes(file))];
    });
  }
}

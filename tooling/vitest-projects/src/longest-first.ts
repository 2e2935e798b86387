import { relative } from 'node:path';

import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { readDurations } from './durations.ts';

/**
 * The project that comes first. Its longest files wait for processes that they start, while this
 * process transforms the modules for all other files and for the browser.
 */
const FIRST = 'apps';

/**
 * vitest's own order, except for files without a recorded duration on this machine, as in a new
 * clone. Then each project begins with the files that took longest elsewhere (`npm run durations`
 * records that). A slow file that starts last would run alone while the other cores are idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const isKnown = ({ project, moduleId }: TestSpecification): boolean =>
      this.ctx.cache.getFileTestResults(`${project.name}:${relative(root, moduleId)}`) !== undefined;
    if (sorted.some(isKnown)) return sorted;
    const durations = readDurations(root);
    const seconds = ({ moduleId }: TestSpecification): number =>
      durations[relative(root, moduleId).replaceAll('\\', '/')] ?? 0;
    const projects = [...new Set(sorted.map(({ project }) => project))].toSorted(
      (a, b) => Number(b.name === FIRST) - Number(a.name === FIRST),
    );
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((a, b) => seconds(b) - seconds(a)),
    );
  }
}

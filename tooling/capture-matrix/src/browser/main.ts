import { browserProblem } from './open-page.ts';
import { pageBuilds } from './page-builds.ts';
import type { BackendOutcome } from './page-outcome.ts';
import { runPageBuild } from './run-page-build.ts';

/**
 * Makes a production build of a page with every tool, or with those whose names contain a word of
 * the command line. The page runs every collective in headless Chromium, on the simulator and on
 * WebGPU. WebGPU takes minutes without a GPU: with `--few`, only two collectives run on it. Exits
 * with 1 if one fails.
 */
const given = process.argv.slice(2);
const words = given.filter((word) => word !== '--few');
const scope = given.includes('--few') ? 'few' : 'all';
const show = (lines: readonly string[]): void => {
  // oxlint-disable-next-line no-console -- a command
  console.log(lines.join('\n  '));
};
const summaryOf = (what: string, { ran, problems, ms }: BackendOutcome): string =>
  `${what} ${ran.length - problems.length} of ${ran.length} in ${(ms / 1000).toFixed(1)} s`;

const problem = browserProblem();
if (problem !== undefined) throw new Error(problem);
let failed = false;
for (const build of pageBuilds) {
  if (words.length > 0 && !words.some((word) => build.name.includes(word))) continue;
  try {
    const { sim, webgpu } = await runPageBuild(build, scope);
    const problems = [...sim.problems, ...webgpu.problems.map((text) => `webgpu: ${text}`)];
    failed ||= problems.length > 0;
    show([`${build.name}: ${summaryOf('simulator', sim)}, ${summaryOf('WebGPU', webgpu)}`, ...problems]);
  } catch (error) {
    failed = true;
    show([`${build.name}: ${error instanceof Error ? error.message.slice(0, 2000) : String(error)}`]);
  }
}
process.exitCode = failed ? 1 : 0;

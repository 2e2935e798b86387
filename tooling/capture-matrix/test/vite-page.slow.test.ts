import { expect, test } from 'vitest';

import { browserProblem } from '../src/browser/open-page.ts';
import { vitePage } from '../src/browser/page-builds.ts';
import { runPageBuild } from '../src/browser/run-page-build.ts';

/** A limit for hanging tests. It is long, because shaders are compiled on the CPU. */
const timeout = 600_000;

// The command `browsers` runs all of them by WebGPU too, and builds with other tools.
test('a page that Vite built for production runs every collective in a browser', { timeout }, async ({ skip }) => {
  const problem = browserProblem();
  if (problem !== undefined && process.env['CI'] === 'true') throw new Error(problem);
  skip(problem !== undefined, problem);
  const { sim, webgpu } = await runPageBuild(vitePage, 'few');
  expect(sim).toMatchObject({ problems: [] });
  expect(sim.ran).toContain('allReduce/chunked');
  expect(sim.ran.length).toBeGreaterThan(30);
  expect(webgpu).toMatchObject({ ran: ['allReduce/ll', 'broadcast/twoShot'], problems: [] });
});

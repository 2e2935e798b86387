import { runSource, runTool } from './command.mjs';

/** The checks that read the sources. The rest of `check` reads the output of the build. */

/** @type {import('./steps.mjs').Step} */
export const types = { name: 'types (tsc -b, tests included)', run: () => runTool('typescript', ['-b'], 'tsc') };

/** @type {import('./steps.mjs').Step} */
export const boundaries = { name: 'boundaries', run: () => runSource('tooling/boundaries/src/main.ts') };

/** @type {import('./steps.mjs').Step} */
export const lint = { name: 'lint (oxlint)', run: () => runTool('oxlint', ['--deny-warnings', '--quiet']) };

/** @type {import('./steps.mjs').Step} */
export const format = { name: 'format (oxfmt)', run: () => runTool('oxfmt', ['--check']) };

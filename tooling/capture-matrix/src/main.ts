import { capture } from './captures.ts';
import { differences, libraryDifferences } from './differences.ts';
import { captureLibrary } from './library/library-captures.ts';
import { pipelines } from './pipelines/pipelines.ts';
import { runLibrary, runPipeline } from './run-pipeline.ts';

/**
 * Builds the kernels of the matrix and all of the library's own with every tool, or with those
 * whose names contain a given word, and reports the kernels that differ from the sources. Exits
 * with 1 if one differs.
 */
const words = process.argv.slice(2);
const chosen = pipelines.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const wanted = await capture();
const library = await captureLibrary('all');
const show = (lines: readonly string[]): void => {
  // oxlint-disable-next-line no-console -- a command
  console.log(lines.join('\n  '));
};
show([`${Object.keys(library).length} kernels of the library, ${Object.keys(wanted.bytes).length} of the matrix`]);
let failed = chosen.length === 0;
for (const pipeline of chosen) {
  if (pipeline.skip !== undefined) {
    show([`${pipeline.name}: ${pipeline.skip}`]);
    continue;
  }
  const found = [
    ...differences(wanted, await runPipeline(pipeline)),
    ...libraryDifferences(library, await runLibrary(pipeline, 'all')),
  ];
  failed ||= found.length > 0;
  show([`${pipeline.name}: ${found.length === 0 ? 'the same' : `${found.length} differ`}`, ...found.slice(0, 20)]);
}
process.exitCode = failed ? 1 : 0;

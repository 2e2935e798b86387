import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Writes the summary of a campaign, and what is known so far. */
export type WriteResults = (summary: object, results: readonly unknown[]) => void;

/** The results file of the script that runs. Without a path, nothing is written. */
export function resultsFile(path: string | undefined): WriteResults {
  if (path === undefined) return () => undefined;
  const [, script = '', ...words] = process.argv;
  // The campaign takes long, and the checkout may change meanwhile.
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const command = `npx tsx --conditions=@nccl-ts/source ${basename(script)} ${words.join(' ')}`;
  return (summary, results) => {
    const date = new Date().toISOString().slice(0, 10);
    const about = { commit, date, command, machine: 'two cores, with other work' };
    writeFileSync(path, `${JSON.stringify({ ...about, ...summary, results }, undefined, 2)}\n`);
  };
}

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { dryRun } from './dry-run.ts';
import type { InstallFigures } from './install-figures.ts';
import { typescriptVersions } from './types-matrix.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    typescript: { type: 'string', multiple: true, default: [...typescriptVersions] },
    keep: { type: 'boolean', default: false },
    /** A file for what an installation of the facade costs. */
    figures: { type: 'string' },
  },
});

const root = join(import.meta.dirname, '../../..');
const { figures: file } = values;
// A file that cannot be written is known before the rehearsal, which takes minutes.
if (file !== undefined) {
  mkdirSync(dirname(file), { recursive: true });
  closeSync(openSync(file, 'a'));
}

const passed = await dryRun({
  root,
  ...(values.only === undefined ? {} : { only: values.only }),
  typescript: values.typescript,
  keep: values.keep,
  print: (line) => console.log(line),
  ...(file !== undefined && {
    onFigures: (figures: InstallFigures): void => {
      const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
      const command = `npm run release:dry-run -- ${process.argv.slice(2).join(' ')}`;
      const about = { commit, command, date: new Date().toISOString(), node: process.version, cpus: cpus().length };
      writeFileSync(file, `${JSON.stringify({ ...about, ...figures }, null, 2)}\n`);
    },
  }),
});
process.exitCode = passed ? 0 : 1;

import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { dryRun } from './dry-run.ts';
import { typescriptVersions } from './types-matrix.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    typescript: { type: 'string', multiple: true, default: [...typescriptVersions] },
    keep: { type: 'boolean', default: false },
  },
});

const passed = await dryRun({
  root: join(import.meta.dirname, '../../..'),
  ...(values.only === undefined ? {} : { only: values.only }),
  typescript: values.typescript,
  keep: values.keep,
  print: (line) => console.log(line),
});
process.exitCode = passed ? 0 : 1;

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { formatMessage } from 'publint/utils';
import { publint } from 'publint';

import { manifestProblems } from './manifest-problems.ts';
import { publishedPackages } from './published-packages.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');

const packages = publishedPackages(root);
for (const problem of manifestProblems(root, packages)) {
  console.error(problem);
  process.exitCode = 1;
}

for (const { directory, folder, entries } of packages) {
  const { messages, pkg } = await publint({ pkgDir: folder, level: 'warning', strict: true, pack: 'npm' });
  for (const message of messages) {
    console.error(`${directory}: publint: ${formatMessage(message, pkg)}`);
    process.exitCode = 1;
  }
  // A package with only a command has no types.
  if (entries.length === 0) continue;
  // The packages are ESM only. `require` of them is not guaranteed, so their types under it are not
  // checked.
  const attw = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'),
      '--pack',
      folder,
      '--profile',
      'esm-only',
      '--no-emoji',
      '--no-color',
    ],
    { cwd: root, encoding: 'utf8' },
  );
  if (attw.status !== 0) {
    console.error(`${directory}: attw:\n${attw.stdout}${attw.stderr}`);
    process.exitCode = 1;
  }
}

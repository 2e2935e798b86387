import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';

import { expect, test } from 'vitest';

test('the command fails on a repository that breaks the rules, with file and line', () => {
  const folder = join(import.meta.dirname, '..');
  const result = spawnSync(
    process.execPath,
    ['--import', 'tsx', join(folder, 'src/main.ts'), join(folder, 'test/fixtures/bad-repository')],
    { encoding: 'utf8', cwd: folder },
  );
  expect(result.stderr).toContain('packages/core/src/index.ts:1: node-built-in: ');
  expect(result.stderr).toContain('packages/core/src/index.ts:2: default-export: ');
  expect(result.status).toBe(1);
});

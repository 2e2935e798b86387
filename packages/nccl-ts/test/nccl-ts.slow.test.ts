import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';

test("the package's command is nccl-ts", () => {
  const bin = join(import.meta.dirname, '../bin/nccl-ts.js');
  const file = join(import.meta.dirname, 'fixtures/to-next.mjs');
  const words = ['check', file, '--ranks', '2', '--grid', '1', '--block', '4', '--arg', 'count=4'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], { encoding: 'utf8' });
  // On a slow machine it says that it works.
  expect({ status, stderr: stderr.replaceAll(/^.* \.\.\. \d+ s\n/gm, '') }).toEqual({ status: 1, stderr: '' });
  expect(stdout).toContain('error[race]');
  expect(stdout).toContain('to-next.mjs:');
});

import { beforeAll, expect, test } from 'vitest';
import { build, served } from './support/command.ts';

// The machine may be busy.
const timeout = 60_000;

beforeAll(build, timeout);

test('an access past a window that the command made names the option for its size', { timeout }, async () => {
  const count = ['--arg', 'count=32768', '--ranks', '2'];
  const { stdout } = await served(['check', 'sums.ts', ...count]);
  expect(stdout).toContain(
    'this command made the windows, of 64K each: if your program has larger ones, pass --bytes 128K\n',
  );
  expect((await served(['check', 'sums.ts', ...count, '--bytes', '128K'])).stdout).toMatch(/clean: no findings/);
});

test('an access that no window would hold does not', { timeout }, async () => {
  const { stdout } = await served(['check', 'mistakes.ts', 'strays', '--arg', 'at=4294967295']);
  expect(stdout).toContain('out-of-bounds');
  expect(stdout).not.toContain('this command made');
});

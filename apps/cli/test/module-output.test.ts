import { beforeAll, describe, expect, inject, test } from 'vitest';
import { build, ncclTs, served } from './support/command.ts';

// The machine may be busy.
const timeout = 60_000;
/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

beforeAll(build, timeout);

describe('a module that prints', () => {
  const printing = [
    ['check', '--arg', 'count=8', '--local', '--json'],
    ['run', '--arg', 'count=8', '--json'],
    ['check', '--compile-only', '--json'],
  ];

  test.concurrent.for(printing.filter((_, i) => (i === 0) !== inject('slow')))(
    'leaves JSON alone: %s',
    { timeout },
    async ([command = '', ...options], { expect: expectHere }) => {
      const { stdout, stderr } = await ncclTs([command, 'noisy.ts', ...options]);
      expectHere((): unknown => JSON.parse(stdout)).not.toThrow();
      expectHere(stderr).toContain('loading\nstill loading\n');
    },
  );

  test.concurrent.for(slow)('leaves code alone', { timeout }, async (_, { expect: expectHere }) => {
    const { stdout } = await ncclTs(['emit', 'noisy.ts', '--target', 'cuda']);
    expectHere(stdout).toMatch(/^#include/);
  });
});

describe('check --compile-only', () => {
  test('reports the errors of every kernel, and runs none', { timeout }, async () => {
    const { code, stdout } = await served([
      'check',
      '--compile-only',
      'mistakes.ts',
      'sums.ts',
      'host.ts',
      'no-kernel.ts',
    ]);
    expect(stdout).toContain('mistakes.ts: wrong does not compile');
    expect(stdout).toContain(
      'skipped host.ts: host.ts exports no kernel, and --compile-only does not run its function',
    );
    expect(stdout).toContain('skipped no-kernel.ts: ');
    expect(stdout).toMatch(/\n1 of \d+ kernels with errors; none ran\n$/);
    expect(code).toBe(1);
  });

  test('says that it looked for no races', { timeout }, async () => {
    const { code, stdout } = await served(['check', '--compile-only', 'sums.ts']);
    expect(stdout).toBe('1 kernel compiled, no errors; none ran, so races and deadlocks were not looked for\n');
    expect(code).toBe(0);
  });

  test('takes one kernel by its name', { timeout }, async () => {
    expect((await served(['check', '--compile-only', 'mistakes.ts', 'strays'])).code).toBe(0);
  });

  test('refuses options of a run', { timeout }, async () => {
    const { code, stderr } = await served(['check', '--compile-only', 'sums.ts', '--exhaustive']);
    expect(stderr).toMatch(/--compile-only runs nothing, so that --exhaustive has no effect/);
    expect(code).toBe(2);
  });
});

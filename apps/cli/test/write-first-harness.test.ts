import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { build, fixtures, served, stopServing } from './support/command.ts';

// The machine may be busy.
const timeout = 240_000;
/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];
beforeAll(build, timeout);
afterAll(stopServing);

describe('check --write', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-write-'));
  beforeAll(() => {
    symlinkSync(join(fixtures, '../../node_modules'), join(folder, 'node_modules'), 'junction');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const name of ['all-reduce.ptx', 'all-reduce.cu'])
      copyFileSync(join(fixtures, 'cuda', name), join(folder, name));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('writes a first harness', { timeout }, async () => {
    const { code, stdout } = await served(['check', 'all-reduce.ptx', '--write', 'first.ts'], folder);
    expect(stdout).toBe('wrote first.ts: read it, then run nccl-ts check first.ts\n');
    expect(code).toBe(0);
    const written = readFileSync(join(folder, 'first.ts'), 'utf8');
    expect(written).toContain('args: (launch) => [');
    expect(written).not.toContain('todo(');
  });

  test.for(slow)(
    'writes a first harness, which runs unchanged where the source has the names',
    { timeout },
    async () => {
      const checked = await served(['check', 'first.ts'], folder);
      expect(checked.stdout).toMatch(/\n\nclean: /u);
    },
  );

  test('is refused for a module, for several files, and for a file that is there', { timeout }, async () => {
    const again = async (...words: readonly string[]) => served(['check', ...words], folder);
    expect(await again('first.ts', '--write', 'second.ts')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--write is for a .cu or .ptx file; first.ts is neither'),
    });
    expect(await again('all-reduce.ptx', '--write', 'first.ts')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force writes over it'),
    });
    expect(await again('all-reduce.ptx', 'nothing', '--write', 'second.ts')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no entry nothing'),
    });
    const entries = ['first', 'second'].map((name) => `.visible .entry ${name}() { ret; }`);
    writeFileSync(
      join(folder, 'two.ptx'),
      ['.version 8.0', '.target sm_90', '.address_size 64', ...entries].join('\n'),
    );
    expect(await again('two.ptx', '--write', 'second.ts')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('two.ptx has several entries; name one:\n  first\n  second'),
    });
  });
});

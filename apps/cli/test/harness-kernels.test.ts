import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { build, fixtures, ncclTs, served, stopServing, type Outcome } from './support/command.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

// The machine may be busy.
const timeout = 240_000;
beforeAll(build, timeout);
afterAll(stopServing);

const folder = join(fixtures, 'launches');
const command = async (line: string): Promise<Outcome> => served(line.split(' '), folder);

describe('a harness of several kernels', () => {
  test('is checked with each number of ranks, each with its own files', { timeout }, async () => {
    const { code, stdout } = await command('check list.launch.ts');
    expect(stdout).toMatch(/^barrier, pull on 2, 3 and 4 ranks: checked in /);
    expect(stdout).toMatch(/\n\nclean: /);
    expect(code).toBe(0);
  });

  test('is run', { timeout }, async () => {
    const { code, stdout } = await command('run list.launch.ts --ranks 3');
    expect(stdout).toMatch(
      /^barrier, pull on 3 ranks.*: done in \S+ ms\n {2}results as expected \(out: 3 ranks x 1\)\n$/,
    );
    expect(code).toBe(0);
    const run: unknown = JSON.parse((await command('run list.launch.ts --ranks 2 --json')).stdout);
    const compared = (rank: number): object => ({ compared: [{ rank, allocation: 'out', from: 0, count: 1 }] });
    expect(run).toMatchObject({ results: [compared(0), compared(1)] });
  });

  test('without expectations is run, and the report says that nothing was compared', { timeout }, async () => {
    const { code, stdout } = await command('run barrier.ptx --harness rest.launch.ts --ranks 2');
    expect(stdout).toMatch(/^barrier on 2 ranks: done in \S+ ms\n {2}no expectation: nothing was compared\n$/);
    expect(code).toBe(0);
  });

  test('repeats the whole list in a sequence', { timeout }, async () => {
    const { code, stdout } = await command('check list.launch.ts --ranks 2 --sequence once,repeat');
    expect(stdout).toContain('\n  once (one launch): clean');
    expect(stdout).toContain('\n  repeat (3 consecutive launches on one stream): clean');
    expect(code).toBe(0);
    const sizes = await command('check list.launch.ts --sequence sizes');
    expect(sizes.stderr).toContain(
      '--sequence sizes: the harness gives the arguments of each launch; make them depend on the launch there',
    );
    expect(sizes.code).toBe(2);
  });

  test.for(slow)('has findings that name the launches', { timeout }, async () => {
    const { code, stdout } = await ncclTs(['check', 'list.launch.ts', '--ranks', '2'], folder, { END: 'no' });
    expect(stdout).toContain('error[race]');
    expect(stdout).toMatch(/kernel pull_\dd, pull \(step 3 of 3\) in launch 1 of 2/);
    expect(stdout).toMatch(/kernel memcpy, memcpy \(step 1 of 3\) in launch 2 of 2/);
    expect(stdout).toMatch(/--> \S*list\.launch\.ts:\d+:\d+\n[^]*?memcpy\(data, peer\(next, rank, 4 \* round\), 4\),/);
    expect(code).toBe(1);
    const once = await ncclTs(['check', 'list.launch.ts', '--ranks', '2', '--sequence', 'once,repeat'], folder, {
      END: 'no',
    });
    expect(once.stdout).toContain('\n  once (one launch): clean');
    expect(once.stdout).toContain('= sequence: repeat: 3 consecutive launches on one stream');
    const accepted = await ncclTs(
      ['check', 'list.launch.ts', '--ranks', '2', '--accept', 'list.launch.ts:20:race'],
      folder,
      { END: 'no' },
    );
    expect(accepted.code).toBe(0);
  });

  test('takes the file of the command line for kernels that name none', { timeout }, async () => {
    const { code, stdout } = await command('check barrier.ptx --harness rest.launch.ts --ranks 2');
    expect(stdout).toMatch(/^barrier on 2 ranks: checked in .*\n\nclean/);
    expect(code).toBe(0);
    const without = await command('check rest.launch.ts --ranks 2');
    expect(without.stderr).toContain("rest.launch.ts: the harness names no kernel; write kernel: 'file.cu' in it");
    expect(without.code).toBe(2);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { build, fixtures, served } from './support/command.ts';

const timeout = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-repair-'));
beforeAll(build, timeout);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const repair = async (line: string) => served(['repair', ...line.split(' ')], join(fixtures, 'cuda'));
const slow = inject('slow') ? [0] : [];

describe('nccl-ts repair', () => {
  it.for(slow)('prints the changes that mend a kernel', { timeout }, async () => {
    const { code, stdout, stderr } = await repair(
      'all-reduce-relaxed.ptx --harness launch.ts --seconds 60 --patience 600',
    );
    expect([code, stderr]).toEqual([0, '']);
    await expect(stdout).toMatchFileSnapshot('snapshots/repair.txt');
  });

  it.for(slow)('has the same as JSON, and writes the text of the first', { timeout }, async () => {
    const file = join(folder, 'repaired.ptx');
    const line = `all-reduce-relaxed.ptx --harness launch.ts --seconds 60 --patience 600 --json --write ${file}`;
    const { code, stdout, stderr } = await repair(line);
    expect([code, stderr]).toEqual([0, `wrote ${file}\n`]);
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ format: 'nccl-ts repair', version: 1, finding: { kind: 'race' } });
    expect(readFileSync(file, 'utf8')).toContain('.entry');
    const again = await repair(`${file} --harness launch.ts`);
    expect(again.stdout).toBe('The check finds no error: there is nothing to repair.\n');
  });

  it.for(slow)('never writes PTX over a source', { timeout }, async () => {
    const file = join(folder, 'kernel.cu');
    writeFileSync(file, '__global__ void k() {}\n');
    const { code, stdout, stderr } = await repair(
      `all-reduce-relaxed.ptx --harness launch.ts --seconds 60 --patience 600 --write ${file}`,
    );
    expect([code, stdout]).toEqual([2, expect.stringContaining('1. relaxed -> release')]);
    expect(stderr).toMatch(/kernel\.cu: the repair is of the PTX, .* name a file that ends in \.ptx/);
    expect(readFileSync(file, 'utf8')).toBe('__global__ void k() {}\n');
  });

  it.for(slow)('has nothing to repair in a kernel that is right', { timeout }, async () => {
    const { code, stdout } = await repair('all-reduce.ptx --harness launch.ts');
    expect([code, stdout]).toEqual([0, 'The check finds no error: there is nothing to repair.\n']);
  });

  it.each([
    ['all-reduce.ptx', /all-reduce\.ptx needs --harness FILE/],
    ['nix.ts', /no such file: nix\.ts/],
    ['launch.ts --patience 0', /--patience/],
  ])('a wrong command line exits with 2 and says why: %s', { timeout }, async (line, why) => {
    const { code, stderr } = await repair(line);
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
  });
});

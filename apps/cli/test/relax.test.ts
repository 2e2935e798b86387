import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { build, fixtures, served } from './support/command.ts';

const timeout = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-relax-'));
beforeAll(build, timeout);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const relax = async (line: string) => served(['relax', ...line.split(' ')], join(fixtures, 'cuda'));
const slow = inject('slow') ? [0] : [];

describe('nccl-ts relax', () => {
  it.for(slow)('says what each synchronization is for, and what can go', { timeout }, async () => {
    const { code, stdout, stderr } = await relax('all-reduce.ptx --harness launch.ts --seconds 60');
    expect([code, stderr]).toEqual([0, '']);
    await expect(stdout).toMatchFileSnapshot('snapshots/relax.txt');
  });

  it.for(slow)('has the same as JSON, and writes the text', { timeout }, async () => {
    const file = join(folder, 'relaxed.ptx');
    const { code, stdout, stderr } = await relax(
      `all-reduce.ptx --harness launch.ts --seconds 60 --json --write ${file}`,
    );
    expect([code, stderr]).toEqual([0, `wrote ${file}\n`]);
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ format: 'nccl-ts relax', version: 1 });
    expect(readFileSync(file, 'utf8')).toContain('.entry');
  });

  it('judges the kernels of a host program', { timeout }, async () => {
    const { code, stdout, stderr } = await relax('../exchange.ts --ranks 2 --seconds 60');
    expect([code, stderr]).toEqual([0, '']);
    await expect(stdout).toMatchFileSnapshot('snapshots/relax-host.txt');
  });

  it.for(slow)('judges the kernels of a host program in JSON', { timeout }, async () => {
    const { stdout } = await relax('../exchange.ts --ranks 2 --seconds 60 --json');
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({
      format: 'nccl-ts relax',
      version: 1,
      inputs: [{ name: 'as it is' }, {}, {}, {}, {}],
    });
  });

  it.each([
    ['all-reduce.ptx', /all-reduce\.ptx needs --harness FILE/],
    ['launch.ts --harness launch.ts', /--harness launch\.ts is for a \.cu or \.ptx file/],
    ['nix.ts', /no such file: nix\.ts/],
    ['../sums.ts', /must export function host.* its default export must be what harness/],
    ['../exchange.ts --write relaxed.ptx', /exchange\.ts has a host program, and --write is for a harness/],
    ['launch.ts --ranks 2', /the harness says this itself: --ranks is for a host program/],
    ['launch.ts --seconds 0', /--seconds/],
  ])('a wrong command line exits with 2 and says why: %s', { timeout }, async (line, why) => {
    const { code, stderr } = await relax(line);
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { build, fixtures, served } from './support/command.ts';

const timeout = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-predict-'));
beforeAll(build, timeout);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const predict = async (line: string, cwd = fixtures) => served(['predict', ...line.split(' ')], cwd);

test('a PTX file is predicted by the launches of its harness', { timeout }, async () => {
  const line = 'all-reduce.ptx --harness launch.ts --no-bounds';
  const { code, stdout, stderr } = await predict(line, join(fixtures, 'cuda'));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/ on h100-nvlink4, predicted\n.*\n +\d+ +[\d.]+ µs/);
});

test.each(
  (
    [
      ['sums.ts --machine nix', /--machine nix: there is no such machine; name one of h100-nvlink4, h200-nvlink4/],
      [
        'sums.ts --machine nix.json',
        /--machine nix\.json: it cannot be read; it must be a file like those in profiles\//,
      ],
      ['sums.ts -a count=1 --minbytes 1K', /--minbytes is for a collective; sums\.ts is a file/],
      ['allReduce -g 4', /--grid is for a kernel, not for allReduce/],
      ['allReduce -n 1', /a collective needs at least two ranks/],
      ['allReduce --algorithm direct', /allReduce has no such algorithm; it has .*ring/],
      ['host.ts --over count=1K', /--over is for a kernel's parameter/],
      ['sums.ts --over count', /Write NAME=VALUE,VALUE/],
    ] satisfies [string, RegExp][]
  ).filter(([line]) => line.includes('--algorithm') === inject('slow')),
)('a wrong command line exits with 2 and says why: %s', { timeout }, async (line, why) => {
  const { code, stderr } = await predict(line);
  expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test('--machine without --trace is refused', { timeout }, async () => {
  const { code, stderr } = await served('run sums.ts -a count=1 --machine h100-nvlink4'.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is for --trace; nccl-ts predict sums\.ts/)]);
});

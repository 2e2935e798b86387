import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
      ['sums.ts --what-if 9', /Write \[FILE:\]LINE=CHANGE, ctas=2x, stores=16 or each/],
      ['sums.ts --what-if 9=gone', /CHANGE is one of removed, weaker/],
      ['sums.ts --what-if ctas=0x', /There must be CTAs/],
      ['sums.ts -a count=1 --what-if each --trace a.svg', /--trace a\.svg draws one what-if/],
      ['sums.ts --over count', /Write NAME=VALUE,VALUE/],
    ] satisfies [string, RegExp][]
  ).filter(([line]) => line.includes('--algorithm') === inject('slow')),
)('a wrong command line exits with 2 and says why: %s', { timeout }, async (line, why) => {
  const { code, stderr } = await predict(line);
  expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test('--what-if names the change by its line, and both times', { timeout }, async () => {
  const line =
    'all-reduce.ptx --harness launch.ts --no-bounds --what-if 9=relaxed --what-if 19=removed --what-if 3=removed';
  const { code, stdout, stderr } = await predict(line, join(fixtures, 'cuda'));
  expect([code, stderr]).toEqual([0, '']);
  const [relaxed, removed, nothing] = stdout.slice(stdout.indexOf('\nwhat if\n')).split('\n').slice(2);
  expect(relaxed).toMatch(
    /^  all-reduce\.cu:9: store is relaxed, not release \(2 places\) +[\d.]+ µs -> [\d.]+ µs +[\d.]+ µs less, \d+ %$/,
  );
  expect(removed).toMatch(/^  all-reduce\.cu:19: sync is removed .* below the model's resolution$/);
  expect(nothing).toMatch(/^  3=removed +cannot be predicted: there is no synchronization in line 3; there is in /);
});

test('--what-if each predicts every removal and weakening, in JSON', { timeout }, async () => {
  const { stdout } = await predict('sums.ts -a count=64 -g 1 --no-bounds --json --what-if each');
  const report: unknown = JSON.parse(stdout);
  expect(report).toMatchObject({
    rows: [
      {
        whatIfs: expect.arrayContaining([
          expect.objectContaining({
            whatIf: 'sums.ts:10=removed',
            changes: [{ at: 'sums.ts:10', does: 'lsa.barrierSession.sync is removed', copies: 1 }],
            saved: expect.any(Number),
            isBelowResolution: false,
          }),
        ]),
      },
    ],
  });
  expect(stdout).not.toContain('"timeline"');
});

test('--trace draws the prediction with its what-if', { timeout }, async () => {
  const [plain, changed] = [join(folder, 'plain.svg'), join(folder, 'changed.svg')];
  expect(await predict(`sums.ts -a count=64 -g 1 --no-bounds --trace ${plain}`)).toMatchObject({ code: 0 });
  const line = `sums.ts -a count=64 -g 1 --no-bounds --what-if 19=removed --trace ${changed}`;
  expect(await predict(line)).toMatchObject({ code: 0 });
  expect(readFileSync(plain, 'utf8')).toContain('sums.ts:19');
  expect(readFileSync(changed, 'utf8')).not.toContain('bar.sync at sums.ts:19');
  expect(readFileSync(changed, 'utf8')).toContain('sums with 19=removed');
});

test('--machine without --trace is refused', { timeout }, async () => {
  const { code, stderr } = await served('run sums.ts -a count=1 --machine h100-nvlink4'.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is for --trace; nccl-ts predict sums\.ts/)]);
});

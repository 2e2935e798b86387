import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sim } from '@nccl-ts/backend-sim';
import { parseSelection, type SelectionRule } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { noColors } from '../src/output/colors.ts';
import { measureAlgorithms, type SizedMeasurement } from '../src/tune/measure-algorithms.ts';
import { rulesJson, tuneTables, tuneVerdict, type TuneReport } from '../src/tune/tune-report.ts';
import { tuneCount } from '../src/predict/tune-collective.ts';
import { tune } from './support/tune-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-tune-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

const quick = '--rounds 1 --iters 1 -w 0';

test('tune measures graphs, and several load-store domains', { timeout: 60_000 }, async () => {
  const graph = await tune(`broadcast --ranks 2 --minbytes 64 -e 64 ${quick} -G 2`);
  expect(graph).toMatchObject({ code: 0, err: '' });
  expect(graph.out).toMatch(/^broadcast on 2 ranks of sim.*\n +size \(B\) +count \(B\) +twoShot +ring\n +64 +64 .*\*/);
  const far = await tune(`allGather --ranks 4 --lsa-size 2 --minbytes 256 -e 256 ${quick}`);
  expect(far).toMatchObject({ code: 0, err: '' });
  expect(far.out).toMatch(/ hierarchical\n +256 +64 [^]*no rules: only one algorithm works between load-store domains/);
});

test('tune warms up algorithms before measuring, unless it is switched off', { timeout: 60_000 }, async () => {
  await using world = await World.open({ backend: sim({ ranks: 2 }) });
  const told = async (warmups: number): Promise<readonly string[]> => {
    const lines: string[] = [];
    const listener = { doing: (what: string) => lines.push(what.replace(/^.*, /, '')), refused: () => undefined };
    const what = { collectives: ['broadcast'], sizes: [64], element: 'f32', rounds: 2, iters: 1 } as const;
    await measureAlgorithms(world, { ...what, warmups, graphLaunches: 0 }, listener);
    return lines.filter((line) => line !== '64 bytes');
  };
  const measured = ['round 1 of 2', 'round 2 of 2'];
  expect(await told(0)).toEqual(measured);
  const warm = await told(2);
  expect(warm.slice(-2)).toEqual(measured);
  // Each of two algorithms, until it is no faster three times.
  expect(warm.slice(0, -2).length).toBeGreaterThanOrEqual(2 * 4);
  expect(new Set(warm.slice(0, -2))).toEqual(new Set(['warming up']));
});

test('tune marks the fastest algorithm in tables, and describes the rules', () => {
  const rule: SelectionRule = {
    collective: 'allReduce',
    algorithm: 'ring',
    backend: 'cuda',
    minRanks: 8,
    maxRanks: 8,
    maxBytes: 2048,
  };
  const row = (algorithm: SizedMeasurement['algorithm'], size: number, times: readonly number[]): SizedMeasurement => ({
    collective: 'allReduce',
    algorithm,
    size,
    bytes: size,
    times,
  });
  const report: TuneReport = {
    backend: 'cuda',
    ranks: 8,
    lsaSize: 8,
    datatype: 'bf16',
    rounds: 3,
    iters: 20,
    margin: 5,
    measurements: [row('ring', 1024, [30, 10, 11]), row('twoShot', 1024, [12, 1, 12]), row('ring', 2048, [7, 8, 9])],
    rules: [rule],
  };
  expect(tuneTables(report, noColors)).toBe(
    [
      'allReduce on 8 ranks of cuda, bf16: µs of a call, median of 3 x 20',
      '  size (B)  count (B)  twoShot     ring',
      '      1024       1024    12.00  11.00 *',
      '      2048       2048        -   8.00 *',
    ].join('\n'),
  );
  expect(tuneVerdict(report)).toBe('rules:\n  allReduce: ring up to 2048 bytes, on 8 ranks of cuda');
  expect(tuneVerdict({ ...report, rules: [] })).toBe('no rules: no algorithm is 5 % faster than the default choice');
  expect(parseSelection(rulesJson([rule, rule]))).toEqual([rule, rule]);
  expect(parseSelection(rulesJson([]))).toEqual([]);
});

test('tune uses the counts of nccl-tests', () => {
  expect(tuneCount('allReduce', 1000, 4, 3)).toBe(250);
  expect(tuneCount('allGather', 1000, 4, 3)).toBe(80);
  expect(tuneCount('reduceScatter', 40, 2, 3)).toBe(0);
});

test.for<readonly [string, RegExp]>([
  ['allreduce', /there is no collective allreduce; there is allReduce, broadcast/],
  ['--minbytes 2K -e 1K', /--minbytes 2048 is more than --maxbytes 1024/],
  ['--ranks 1', /It must be an integer from 2 to 4096/],
  ['-n 1', /-n, --ranks <n>.* It must be an integer from 2 to 4096/],
  ['-b 1K', /Write --minbytes: -b is --block in every command/],
  ['--ranks 4 --lsa-size 3', /--lsa-size 3: it must divide the number of ranks, 4/],
  ['--backend cuda --lsa-size 2', /--lsa-size is for sim and webgpu/],
  ['-d bool', /Allowed choices are i8, u8/],
  ['allGather --ranks 4 --minbytes 1 -e 4', /-e 4: that is less than one element per rank/],
  ['--out nowhere/rules.json', /--out nowhere\/rules\.json: ENOENT/],
])('%s is reported on stderr, with exit code 2', async ([line, message]) => {
  const { code, out, err } = await tune(line);
  expect(err).toMatch(message);
  expect([code, out]).toEqual([2, '']);
});

test.each([
  ['--predicted nix', /--machine nix: there is no such machine/],
  ['--predicted h100-nvlink4 --backend sim', /measures nothing: leave out --backend/],
])('a prediction without a machine, or with a measurement, is refused: %s', async (line, why) => {
  const { code, err } = await tune(line);
  expect([code, err]).toEqual([2, expect.stringMatching(why)]);
});

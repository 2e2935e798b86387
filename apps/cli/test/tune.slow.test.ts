import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { algorithmsOf, defaultSelection, parseSelection, select } from '@nccl-ts/collectives';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type TuneReport } from '../src/tune/tune-report.ts';
import { tune } from './support/tune-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-tune-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

const quick = '--rounds 1 --iters 1 -w 0';

test('tune measures every algorithm of every size, and writes rules that parse', { timeout: 60_000 }, async () => {
  const file = join(folder, 'rules.json');
  const { code, out, err } = await tune(`--ranks 2 --minbytes 64 -e 256 -f 4 ${quick} --json --out ${file}`);
  expect([code, err]).toEqual([0, '']);
  const report: TuneReport = JSON.parse(out);
  expect(report).toMatchObject({
    backend: 'sim',
    ranks: 2,
    lsaSize: 2,
    datatype: 'f32',
    rounds: 1,
    iters: 1,
    margin: 5,
  });
  const rows = report.measurements.map(({ collective, algorithm, size, bytes }) => [
    collective,
    algorithm,
    size,
    bytes,
  ]);
  const both = (collective: string, algorithms: readonly string[], part: number) =>
    [64, 256].flatMap((size) => algorithms.map((algorithm) => [collective, algorithm, size, size / part]));
  expect(rows).toEqual([
    ...both(
      'allReduce',
      algorithmsOf.allReduce.filter((name) => name !== 'hierarchical'),
      1,
    ),
    ...both('allGather', ['direct', 'll', 'll128', 'ring'], 2),
    ...both('reduceScatter', ['direct', 'll', 'll128', 'ring'], 2),
    ...both('broadcast', ['twoShot', 'ring'], 1),
  ]);
  expect(report.measurements.every(({ times: [time = 0] }) => time > 0)).toBe(true);
  const rules = parseSelection(readFileSync(file, 'utf8'));
  expect(rules).toEqual(report.rules);
  const query = { collective: 'allReduce', backend: 'sim', nRanks: 2, lsaSize: 2, element: 'f32', op: 'sum' } as const;
  for (const count of [16, 64, 65])
    expect(() => select({ ...query, count }, [...rules, ...defaultSelection])).not.toThrow();
});

test('tune --predicted writes rules for GPUs from predicted times', { timeout: 60_000 }, async () => {
  const { code, out, err } = await tune('broadcast --predicted h100-nvlink4 -d bf16 --minbytes 64K -e 64K --json');
  expect([code, err]).toEqual([0, '']);
  const report: TuneReport = JSON.parse(out);
  expect(report).toMatchObject({ backend: 'h100-nvlink4, predicted', ranks: 2, rounds: 1 });
  const time = (name: string): number =>
    report.measurements.find(({ algorithm }) => algorithm === name)?.times[0] ?? Number.NaN;
  expect(time('ring')).toBeLessThan(time('twoShot'));
  expect(report.rules).toEqual([
    expect.objectContaining({ backend: 'cuda', collective: 'broadcast', algorithm: 'ring' }),
  ]);
});

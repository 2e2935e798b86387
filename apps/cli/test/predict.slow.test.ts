import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, fixtures, served } from './support/command.ts';
import './predict.test.ts';

const timeout = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-predict-'));
beforeAll(build, timeout);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const predict = async (line: string, cwd = fixtures) => served(['predict', ...line.split(' ')], cwd);

test('a kernel is predicted for several parameter values and rank counts', { timeout }, async () => {
  const line = 'sums.ts -n 2,4 -g 2 -b 64 --bytes 8K --over count=64,1K';
  const { code, stdout, stderr } = await predict(line);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^sums on h100-nvlink4, predicted\nranks {2}count +time {2}bounded by\n {4}2 {5}64 /);
  expect(stdout).toMatch(/\n {4}4 {5}1K +[\d.]+ µs {2}[a-z]+ \d+ %, .*rank \d waits [\d.]+ (µs|ns) for rank \d\n/);
  expect(stdout).toMatch(/\n4 ranks, 1K {2}█+ [\d.]+ µs\n$/);
});

test('a collective is predicted with the kernels that GPUs use, as JSON too', { timeout }, async () => {
  const line = 'allReduce --no-bounds --minbytes 1K -e 4K --json';
  const { code, stdout } = await predict(`${line} --machine h200-nvlink4`);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'allReduce, bf16',
    machine: 'h200-nvlink4',
    sizeName: 'bytes',
    rows: [
      { ranks: 2, size: 1024, choice: 'sentinel 1 x 256', bounds: [] },
      { ranks: 2, size: 4096, choice: 'sentinel 1 x 256' },
    ],
  });
  const ll = await predict(`${line} --algorithm ll -d f32`);
  expect(JSON.parse(ll.stdout)).toMatchObject({ rows: [{ choice: 'll 1 x 512' }, { choice: 'll 1 x 512' }] });
});

test('a profile in a file is a machine, for predictions and timelines', { timeout }, async () => {
  const file = join(folder, 'slow.json');
  const profile: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../profiles/h100-nvlink4.json'), 'utf8'),
  );
  if (typeof profile !== 'object' || profile === null || !('parameters' in profile)) throw new TypeError('no profile');
  const parameters: object = Object(profile.parameters);
  const slow = { ...profile, parameters: { ...parameters, 'launch.graph': { value: 9e6, unit: 'ns' } } };
  writeFileSync(file, JSON.stringify(slow));
  const { stdout } = await predict(`sums.ts -g 1 -b 32 -a count=64 --machine ${file}`);
  expect(stdout).toMatch(/ 9\.\d+ ms {2}launch 100 %/);
  const run = `run sums.ts -n 2 -g 1 -b 32 -a count=64 --trace ${join(folder, 'trace.json')} --machine ${file}`;
  const traced = await served(run.split(' '));
  expect(traced.code).toBe(0);
  expect(JSON.stringify(JSON.parse(readFileSync(join(folder, 'trace.json'), 'utf8')))).toContain('"ts":9000');
});

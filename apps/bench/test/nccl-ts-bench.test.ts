import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { benchBackend } from '../src/nccl-tests/bench-backend.ts';
import { benchCommand } from '../src/nccl-tests/bench-command.ts';
import { runBenchCommandLine } from '../src/nccl-tests/bench-command-line.ts';
import type { BenchOptions } from '../src/nccl-tests/bench-options.ts';
import { benchPrograms } from '../src/nccl-tests/bench-program.ts';
import { collectivesContender } from '../src/nccl-tests/collectives-contender.ts';
import type { Contender } from '../src/nccl-tests/contender.ts';
import type { BenchRow } from '../src/nccl-tests/report/bench-report.ts';
import { runBench } from '../src/nccl-tests/run-bench.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have one of 4. */
const isNow = (_: unknown, i: number): boolean => (i % 4 === 0) !== inject('slow');

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(line: string, env: Readonly<Record<string, string>> = {}, isTTY = false) {
  let [out, err] = ['', ''];
  const exitCode = await runBenchCommandLine(['node', 'nccl-ts-bench', ...line.split(' ')], {
    stdout: { write: (text) => (out += text) },
    stderr: { isTTY, write: (text) => (err += text) },
    env,
  });
  return { exitCode, out, err };
}

/** Rows of a run with contenders of the test's own. */
async function rowsOf(line: string, contenders: readonly Contender[]): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  let options: BenchOptions | undefined;
  await benchCommand({}, async (asked) => void (options = asked)).parseAsync(['node', 'x', ...line.split(' ')]);
  if (options === undefined) throw new Error('The command did not run.');
  const quiet = { started: () => undefined, doing: () => undefined, note: () => undefined };
  await runBench(options, benchBackend(options), contenders, { ...quiet, row: (row) => void rows.push(row) });
  return rows;
}

test.for(inject('slow') ? [0] : [])('a run prints a table, and writes JSON and a chart', async () => {
  const [json, svg] = [join(folder, 'out.json'), join(folder, 'out.svg')];
  const line = `all_reduce --ranks 2 -b 64 -e 256 -f 4 -n 2 -w 1 -d bf16 -J ${json} --plot ${svg}`;
  const { exitCode, out, err } = await run(line, { NCCL_DEBUG: 'WARN', HOME: '/root' });
  expect([exitCode, err]).toEqual([0, '']);
  const lines = out.split('\n');
  expect(lines[0]).toBe(`# Writing JSON output to ${json}`);
  expect(lines.filter((each) => !each.startsWith('#') && each !== '')).toEqual([
    expect.stringMatching(/^ {10}64 {12}32 {2}bfloat16 {5}sum {6}-1 ( +\d\S*){3} {7}0 ( +\d\S*){3} {7}0$/),
    expect.stringMatching(/^ {9}256 {11}128 {2}bfloat16 {5}sum {6}-1 ( +\d\S*){3} {7}0 ( +\d\S*){3} {7}0$/),
  ]);
  expect(lines.slice(-7, -5)).toEqual([
    '# Out of bounds values : 0 OK',
    expect.stringMatching(/^# Avg bus bandwidth {4}: \S+ $/),
  ]);
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
    version: 3,
    env: ['NCCL_DEBUG=WARN'],
    config: { ngpus: 2, minimum_bytes: 64, step_factor: 4, iterations: 2, devices: [{ rank: 0 }, { rank: 1 }] },
    results: [
      { size: 64, count: 32, type: 'bfloat16', redop: 'sum', out_of_place: { nwrong: 0 }, in_place: { nwrong: 0 } },
      { size: 256, count: 128 },
    ],
    out_of_bounds: { count: 0, okay: 'true' },
  });
  expect(readFileSync(svg, 'utf8')).toMatch(/^<svg[^]*bfloat16 sum, in place[^]*<\/svg>$/);
  // A file that is there already is left alone.
  expect((await run(line)).out).toContain(`# Writing JSON output to ${json}.0\n`);
});

test.each(benchPrograms.filter(isNow))(
  '$name measures itself in a graph on 3 or 4 ranks, misaligned, each rank root in turn',
  async (program) => {
    const ranks = program.skips === undefined ? 3 : 4;
    const rows = await rowsOf(`${program.name} --ranks ${ranks} -b 400 -e 400 -u 1 -G 2 -n 2 -w 0 -r -1`, [
      collectivesContender(),
    ]);
    expect(rows.map(({ root }) => root)).toEqual(program.rooted ? [0, 1, 2] : [-1]);
    for (const { outOfPlace, inPlace, count } of rows) {
      expect(count).toBeGreaterThan(0);
      expect(outOfPlace).toMatchObject({ wrong: 0 });
      expect(inPlace?.wrong).toBe(program.inPlace === 'checked' ? 0 : undefined);
    }
  },
);

test.for(slow)('programs that send and receive print rows like those of nccl-tests', async () => {
  const rowsIn = (out: string) => out.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const ring = await run('sendrecv --ranks 2 -b 64 -e 64 -n 1 -w 0 -o all');
  // The operator means nothing, and nccl-tests names it all the same.
  expect(rowsIn(ring.out).map((line) => line.trim().split(/ +/)[3])).toEqual([
    'sum',
    'prod',
    'max',
    'min',
    'avg',
    'mulsum',
  ]);
  // In place nothing is checked.
  expect(rowsIn(ring.out)[0]).toMatch(/^ +64 +16 +float +sum +-1( +\d\S*){3} +0( +\d\S*){3} {4}N\/A$/);
  const cube = await run('hypercube --ranks 2 -b 64 -e 64 -n 1 -w 0');
  expect(rowsIn(cube.out)).toEqual([
    expect.stringMatching(/^ {10}64 {13}8 {5}float {14}-1( +\d\S*){3} +0( +\d\S*){3} +0$/),
  ]);
  const odd = await run('hypercube --ranks 3 -b 64 -e 64 -n 1');
  expect([odd.exitCode, rowsIn(odd.out)]).toEqual([0, []]);
  expect(odd.err).toBe('note: hypercube: 3 ranks are not a power of 2; nothing is measured\n');
});

test.for(slow)("alltoallv sends more to more distant ranks, up to the environment's spread", async () => {
  const line = 'alltoallv --ranks 4 -b 448 -e 448 -n 1 -w 0 -d uint8 --json';
  const rowOf = (size: number) => ({
    out_of_bounds: { count: 0 },
    results: [{ size, count: 112, redop: 'none', out_of_place: { nwrong: 0 }, in_place: { nwrong: null } }],
  });
  expect(JSON.parse((await run(line)).out)).toMatchObject(rowOf(64 + 144 + 224));
  expect(JSON.parse((await run(line, { NCCL_TESTS_ALLTOALLV_SPREAD: '0' })).out)).toMatchObject(rowOf(448));
  const matrix = await run('alltoallv', { NCCL_TESTS_ALLTOALLV_MATRIX_FILE: 'm.txt' });
  expect(matrix).toMatchObject({ exitCode: 2, err: expect.stringContaining('there are no matrices here') });
  const wide = await run('alltoallv', { NCCL_TESTS_ALLTOALLV_SPREAD: '2' });
  expect(wide).toMatchObject({ exitCode: 2, err: expect.stringContaining('it must be a number from 0 to 1') });
});

test.for(slow)('a run supports more data than one period of the pattern, for types of one byte', async () => {
  const [row] = await rowsOf('alltoall --ranks 2 -b 80000 -e 80000 -n 3 -w 0 -d uint8', [collectivesContender()]);
  expect(row).toMatchObject({ size: 80000, count: 40000, outOfPlace: { wrong: 0 } });
});

test.for(slow)('a run prints JSON instead of the table, with times of iterations', async () => {
  const { exitCode, out } = await run('reduce_scatter -g 2 -b 64 -e 64 -n 3 -I 1 -K 1 -z 3 -d half -o max --json');
  expect(exitCode).toBe(0);
  const number: unknown = expect.any(Number);
  const times = { skipped_iterations: 1, times_us: [number, number, number] };
  expect(JSON.parse(out)).toMatchObject({ results: [{ out_of_place_per_iter: times, in_place_per_iter: times }] });
});

test('a run without a check has no numbers of wrong elements', async () => {
  const { out } = await run('all_gather --ranks 2 -b 64 -e 64 -n 1 -c 0');
  expect(out).toMatch(/N\/A.*N\/A\n# Out of bounds values : 0 OK/);
});

test.for(slow)('a run fails if a contender loses an element', async () => {
  const ours = collectivesContender();
  // It does all but the last element.
  const forgetful: Contender = {
    ...ours,
    start: async (call, ranks) => ours.start({ ...call, count: call.count - 1 }, ranks),
  };
  const [row] = await rowsOf('all_reduce --ranks 2 -b 256 -e 256 -n 1', [forgetful]);
  expect(row?.outOfPlace?.wrong).toBe(2);
  const [touched] = await rowsOf('gather --ranks 2 -b 256 -e 256 -n 1 -r 0', [
    { ...ours, start: async (call, ranks) => ours.start({ ...call, root: 1 }, ranks) },
  ]);
  // Rank 0 has nothing, and rank 1 what it should not have.
  expect(touched?.outOfPlace?.wrong).toBe(128);
});

test.for(slow)('contenders share the same buffers, each with its own rows', async () => {
  const rows = await rowsOf('all_reduce --ranks 2 -b 64 -e 64 -n 1', [
    collectivesContender('twoShot'),
    collectivesContender('oneShot'),
  ]);
  expect(rows.map(({ experiment }) => experiment)).toEqual(['nccl-ts twoShot', 'nccl-ts oneShot']);
  expect(rows.map(({ inPlace }) => inPlace?.wrong)).toEqual([0, undefined]);
});

test('a run fails if the bandwidth is too low', async () => {
  const line = 'broadcast --ranks 2 -b 64 -e 64 -n 1';
  const slow = await run(line, { NCCL_TESTS_MIN_BW: '100000' });
  expect(slow.exitCode).toBe(1);
  expect(slow.out).toMatch(/# Avg bus bandwidth {4}: \S+ FAILED\n/);
});

test('wrong usage is reported on stderr, with exit code 2', async () => {
  expect(await run('all_reduce -b 2K -e 1K')).toEqual({
    exitCode: 2,
    out: '',
    err: 'error: -b 2048 is more than -e 1024; without -b or -e they are 32M\n',
  });
  const unknown = await run('all_reduce --frobnicate');
  expect(unknown.exitCode).toBe(2);
  expect(unknown.err).toContain("error: unknown option '--frobnicate'");
  expect((await run('reduce -r 9 -b 64 -e 64')).exitCode).toBe(2);
});

test('progress is shown only on terminals, notes always', async () => {
  const { err } = await run('all_reduce -b 64 -e 64 -n 1 -t 2', {}, true);
  expect(err).toContain('note: -t 2: one thread drives all ranks');
  expect(err).toContain('warming up all_reduce float sum, 64 bytes ...');
  expect(err.endsWith('\u001b[2K')).toBe(true);
});

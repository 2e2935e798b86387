import { expect, test } from 'vitest';
import { benchCommand } from '../src/nccl-tests/bench-command.ts';
import type { BenchOptions } from '../src/nccl-tests/bench-options.ts';
import { parseSize, sizesOf, warmupSizes } from '../src/nccl-tests/sizes.ts';

async function parsed(line: string, env: Readonly<Record<string, string>> = {}): Promise<BenchOptions> {
  let result: BenchOptions | undefined;
  const command = benchCommand(env, async (options) => {
    result = options;
  });
  command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  await command.parseAsync(['node', 'nccl-ts-bench', ...line.split(' ')]);
  if (result === undefined) throw new Error('The command did not run.');
  return result;
}

test('the defaults equal those of nccl-tests', async () => {
  const options = await parsed('all_reduce');
  expect(options.config).toEqual({
    program: 'all_reduce_perf',
    nThreads: 1,
    minBytes: 33554432,
    maxBytes: 33554432,
    step: { kind: 'bytes', value: 1048576 },
    warmupIters: 1,
    iters: 20,
    aggIters: 1,
    check: 1,
    graphLaunches: 0,
    unalign: 0,
    blocking: 0,
    perIterTiming: false,
    perIterSkip: 0,
    parallelInit: false,
    reportCputime: false,
    reportTimestamps: false,
  });
  expect(options).toMatchObject({
    backend: 'sim',
    ops: ['sum'],
    root: 0,
    average: 1,
    timeout: 0,
    runCycles: 1,
    notes: [],
  });
  expect(options.types.map(({ name }) => name)).toEqual(['float']);
});

test('short and long option names are equivalent', async () => {
  const short = await parsed(
    'reduce_perf -g 8 -b 1K -e 1G -f 4 -n 7 -w 5 -m 2 -N 3 -c 2 -d bf16 -o mulsum -r -1 -G 4 -C 1 -S 1 -a 3 -R 2 -D 1 -u 3 -T 9 -J a.json --plot a.PNG',
  );
  const long = await parsed(
    'reduce --ranks 8 --minbytes 1024 --maxbytes 1g --stepfactor 4 --iters 7 --warmup_iters 5 --agg_iters 2 --run_cycles 3 ' +
      '--check 2 --datatype bfloat16 --op mulsum --root -1 --cudagraph 4 --report_cputime 1 --report_timestamps 1 --average 3 ' +
      '--local_register 2 --device_implementation 1 --unalign 3 --timeout 9 --output_file a.json --plot a.PNG',
  );
  expect(long).toEqual(short);
  expect(short).toMatchObject({
    ranks: 8,
    algorithm: 'twoShot',
    ops: ['mulsum'],
    root: -1,
    average: 3,
    timeout: 9,
    runCycles: 3,
    jsonFile: 'a.json',
    plot: { file: 'a.PNG', format: 'png' },
    config: { minBytes: 1024, maxBytes: 2 ** 30, step: { kind: 'factor', value: 4 }, graphLaunches: 4, unalign: 3 },
  });
});

test('all selects every value', async () => {
  const { types, ops } = await parsed('all_reduce -d all -o all');
  expect(types.map(({ name }) => name).join(' ')).toBe(
    'int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 f8e4m3 f8e5m2',
  );
  expect(ops).toEqual(['sum', 'prod', 'max', 'min', 'avg', 'mulsum']);
  expect((await parsed('all_gather -d all')).ops).toEqual([]);
});

test('options without an effect here are reported', async () => {
  const { ranks, notes } = await parsed('broadcast -t 2 -g 4 -p 1 -y 1 -R 1 -x 1 -V 16 -M 1 -o all');
  expect(ranks).toBe(8);
  expect(notes.map((note) => note.slice(0, 2))).toEqual(['-t', '-p', '-y', '-R', '-x', '-V', '-M', '-o']);
});

test('environment variables are read', async () => {
  const env = { NCCL_TESTS_MIN_BW: '12.5', NCCL_TESTS_DEVICE: '2' };
  expect(await parsed('all_reduce', env)).toMatchObject({ minBusBw: 12.5, firstDevice: 2 });
  await expect(parsed('all_reduce', { NCCL_TESTS_MIN_BW: 'fast' })).rejects.toThrow('NCCL_TESTS_MIN_BW=fast');
});

test.each([
  ['allreduce', 'there is no program allreduce; there is all_reduce,'],
  ['all_reduce -b 64M', '-b 67108864 is more than -e 33554432'],
  ['all_reduce -b 0 -f 2', '-f 2 with -b 0'],
  ['all_reduce -b 1K -i 0', '-i 0'],
  ['all_reduce -b 1T', 'It must be a size'],
  ['all_reduce -n 0', 'It must be an integer from 1'],
  ['all_reduce -n two', 'It must be an integer from 1'],
  ['all_reduce -d fp16', '-d fp16 is no type; there is int8, uint8,'],
  ['all_reduce -o add', '-o add is no operator; there is sum, prod, max, min, avg, mulsum, all'],
  ['all_reduce -a 4', 'It must be one of 0, 1, 2, 3'],
  ['all_reduce -D 1', '-D above 0 needs symmetric memory: -R 2'],
  ['all_reduce -D 9 -R 2', 'all_reduce has no device implementation -D 9; it has 1 (twoShot), 2 (oneShot)'],
  ['all_gather --algorithm oneShot', 'all_gather has no algorithm oneShot; it has direct'],
  ['sendrecv -D 1 -R 2', 'sendrecv has no device implementation -D 1; it has none'],
  ['all_reduce --ranks 4 -g 2', '--ranks 4, but -t and -g ask for 2 ranks'],
  ['all_reduce --ranks 4 --lsa-size 3', '--lsa-size 3: it must divide the number of ranks, 4'],
  ['all_reduce --backend cuda --ranks 4 --lsa-size 2', '--lsa-size is for sim and webgpu'],
  ['all_reduce --backend webgpu --engine js', '--engine and --workers are for sim; the backend is webgpu'],
  ['all_reduce --engine js --workers 2', '--workers 2: with --engine js there is one thread'],
  ['all_reduce --beside nccl', '--beside is for cuda'],
  ['all_reduce --backend cuda --beside mpi', "argument 'mpi' is invalid. Allowed choices are nccl, nccl-symmetric"],
  ['all_reduce --backend tpu', "argument 'tpu' is invalid"],
  ['reduce --ranks 4 -r 4', '-r 4: the root must be a rank, from 0 to 3'],
  ['all_reduce -G 1 -I 1', '-I 1 with -G'],
  ['all_reduce -G 1 -z 3', '-z 3 with -G'],
  ['all_reduce -K 1', '-K needs -I 1'],
  ['all_reduce -I 1 -K 20', '-K 20 must be less than the iterations, -n 20'],
  ['all_reduce -J out.txt', '-J out.txt: the name must end with .json'],
  ['all_reduce --plot out.pdf', '--plot out.pdf: the name must end with .svg or .png'],
  ['all_reduce --nope', "unknown option '--nope'"],
])('the option %s is refused', async (line, message) => {
  await expect(parsed(line)).rejects.toThrow(message);
});

test('sizes are parsed', () => {
  expect(['4096', '64K', '64k', '1M', '1.5M', '2G', '1KB', '0'].map(parseSize)).toEqual([
    4096, 65536, 65536, 1048576, 1572864, 2147483648, 1024, 0,
  ]);
  expect(['', 'K', '-1', '1T', '1e3', '1 2'].map(parseSize)).toEqual(Array(6).fill(undefined));
  expect([...sizesOf(1024, 65536, { kind: 'factor', value: 4 })]).toEqual([1024, 4096, 16384, 65536]);
  expect([...sizesOf(10, 25, { kind: 'bytes', value: 10 })]).toEqual([10, 20]);
  expect([...sizesOf(0, 0, { kind: 'factor', value: 2 })]).toEqual([0]);
  expect(warmupSizes(3, 20)).toEqual([3, 6, 12]);
});

import { Command, InvalidArgumentError, Option } from 'commander';
import { algorithmNames } from '@nccl-ts/collectives';
import { benchBackendNames } from './bench-backend.ts';
import { benchOps } from './bench-op.ts';
import { benchOptions, type BenchOptions, type EnvironmentVariables, type RawOptions } from './bench-options.ts';
import { benchPrograms } from './bench-program.ts';
import { benchTypes } from './bench-type.ts';
import { ncclContenderNames } from './nccl-contender.ts';
import { parseSize } from './sizes.ts';

const DEFAULT_BYTES = 32 * 2 ** 20;
const MOST = 2 ** 31 - 1;

const notes = `
Programs: ${benchPrograms.map(({ name }) => name).join(', ')}.

The options with a short name, the table and the JSON are those of nccl-tests
2.19.6. Sizes are bytes, or with K, M, G: 1K is 1024 bytes.

Environment: NCCL_TESTS_MIN_BW fails a run whose average bus bandwidth is less
than 90 % of it; NCCL_TESTS_DEVICE is the first GPU.

Exit codes: 0 done, 1 failed, wrong elements or too slow, 2 the command line is
wrong.

Examples:
  nccl-ts-bench all_reduce --ranks 4 -b 1K -e 64K -f 4
  nccl-ts-bench all_reduce --backend cuda -b 1K -e 1G -f 4 -d bf16 -G 5 -J out.json
  nccl-ts-bench alltoall --backend cuda -b 1K -e 1M -f 4 -G 200 -N 5 --beside nccl
  nccl-ts-bench reduce_scatter --ranks 2 -b 1K -e 1K -d all -o all --json`;

/** The command. `run` receives the options. */
export function benchCommand(env: EnvironmentVariables, run: (options: BenchOptions) => Promise<void>): Command {
  const command = new Command('nccl-ts-bench')
    .description('measures collectives as nccl-tests does')
    .argument('<program>', 'what to measure')
    .addOption(new Option('--backend <name>', 'backend of the ranks').choices(benchBackendNames).default('sim'))
    .option('--ranks <n>', 'ranks (default: 4; on cuda all GPUs)', integer(1, 4096))
    .option('--lsa-size <n>', "ranks that load and store each other's memory (default: all)", integer(1, 4096))
    .addOption(new Option('--engine <name>', 'the engine of the simulator (default: wasm)').choices(['js', 'wasm']))
    .option('--workers <n>', 'threads of the simulator, with engine wasm (default: 1)', integer(1, 256))
    .addOption(new Option('--algorithm <name>', 'algorithm to use instead of the selected one').choices(algorithmNames))
    .addOption(
      new Option('--beside <name...>', "also measure NCCL's own collectives: plain memory, symmetric windows")
        .choices(ncclContenderNames)
        .default([]),
    )
    .option('--json', 'print the JSON of -J instead of the table')
    .option('--plot <file>', 'draw time and bus bandwidth over size: .svg or .png');
  addSizes(command);
  addIterations(command);
  addWhat(command);
  addReports(command);
  addDevices(command);
  return command
    .addHelpText('after', notes)
    .action(async (program: string, raw: RawOptions) => run(benchOptions(program, raw, env)));
}

function addSizes(command: Command): void {
  command
    .addOption(new Option('-b, --minbytes <size>', 'smallest size').argParser(size).default(DEFAULT_BYTES, '32M'))
    .addOption(new Option('-e, --maxbytes <size>', 'largest size').argParser(size).default(DEFAULT_BYTES, '32M'))
    .addOption(
      new Option('-i, --stepbytes <size>', 'bytes from one size to the next').argParser(size).default(2 ** 20, '1M'),
    )
    .option('-f, --stepfactor <n>', 'factor from one size to the next, if it is more than 1', integer(0, MOST), 1)
    .option('-u, --unalign <n>', 'elements between an aligned address and the start of a buffer', integer(0, MOST), 0);
}

function addIterations(command: Command): void {
  command
    .option('-n, --iters <n>', 'iterations', integer(1, MOST), 20)
    .option('-m, --agg_iters <n>', 'calls in each iteration', integer(1, MOST), 1)
    .option('-w, --warmup_iters <n>', 'warm-up calls of each size', integer(0, MOST), 1)
    .option('-N, --run_cycles <n>', 'times that the table is measured; 0: without an end', integer(0, MOST), 1)
    .option('-c, --check <n>', 'checks of the data', integer(0, MOST), 1)
    .option('-G, --cudagraph <n>', 'record the iterations into a graph, and launch it this often', integer(0, MOST), 0)
    .option('-z, --blocking <n>', 'wait: 1, 2 after each call, 3 after each iteration', among([0, 1, 2, 3]), 0)
    .option('-T, --timeout <seconds>', 'the longest wait; 0: any', integer(0, MOST / 1000), 0);
}

function addWhat(command: Command): void {
  const types = benchTypes.map(({ name }) => name).join(', ');
  command
    .option('-d, --datatype <type>', `${types}, all`, 'float')
    .option('-o, --op <op>', `${benchOps.join(', ')}, all`, 'sum')
    .option('-r, --root <rank>', 'root; -1: each rank in turn', integer(-1, MOST), 0)
    .option('-D, --device_implementation <n>', 'the n-th algorithm; needs -R 2', integer(0, MOST), 0)
    .option('-R, --local_register <n>', 'registration of buffers: 2 is symmetric', among([0, 1, 2]));
}

function addReports(command: Command): void {
  command
    .option('-a, --average <n>', 'time to report: 0 rank 0, 1 average, 2 minimum, 3 maximum', among([0, 1, 2, 3]), 1)
    .option('-C, --report_cputime <n>', 'show the time that the host takes', among([0, 1]), 0)
    .option('-S, --report_timestamps <n>', 'show the time of day of each row', among([0, 1]), 0)
    .option('-I, --per_iter_timing <n>', 'show times of single iterations', among([0, 1]), 0)
    .option('-K, --per_iter_skip <n>', 'iterations that the summary of -I leaves out', integer(0, MOST), 0)
    .option('-J, --output_file <file>', 'write JSON there: .json');
}

/** The options of nccl-tests for GPUs, threads and NCCL's own collectives. */
function addDevices(command: Command): void {
  command
    .option('-g, --ngpus <n>', 'ranks, as --ranks', integer(1, 4096))
    .option('-t, --nthreads <n>', 'factor from one number of ranks to the next', integer(1, 4096), 1)
    .option('-V, --device_cta_count <n>', 'no effect', integer(1, 127))
    .option('-x, --cta_policy <n>', 'no effect', among([0, 1, 2]))
    .option('-p, --parallel_init <n>', 'no effect', among([0, 1]), 0)
    .option('-y, --stream_null <n>', 'no effect', among([0, 1]), 0)
    .option('-M, --memory <n>', 'no effect', among([0, 1]), 0);
}

function size(text: string): number {
  const bytes = parseSize(text);
  if (bytes === undefined) throw new InvalidArgumentError('It must be a size: 4096, 64K, 1M, 1G.');
  return bytes;
}

function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be an integer from ${least} to ${Math.floor(most)}.`);
    }
    return value;
  };
}

function among<T extends number>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((value) => String(value) === text);
    if (found === undefined) throw new InvalidArgumentError(`It must be one of ${allowed.join(', ')}.`);
    return found;
  };
}

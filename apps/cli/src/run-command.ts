import { Command } from 'commander';
import pc from 'picocolors';
import { sim } from '@nccl-ts/backend-sim';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';
import { checkArguments, prepareArguments } from './kernel-arguments.ts';
import { chooseKernel, loadModule, type UserModule } from './load-module.ts';
import { assignment, bytes, integer } from './options.ts';
import { showProgress } from './progress.ts';

interface RunOptions {
  readonly kernel?: string;
  readonly ranks: number;
  readonly lsaSize?: number;
  readonly grid: number;
  readonly block: number;
  readonly bytes: number;
  readonly arg: ReadonlyMap<string, string>;
  readonly seed: number;
  readonly residentCtas: number;
  readonly show: number;
  readonly json: boolean;
}

/** What one rank's run gave. */
interface RankResult {
  readonly rank: number;
  readonly value?: unknown;
  readonly printed: readonly string[];
  readonly windows: Readonly<Record<string, { readonly sum: number; readonly first: readonly number[] }>>;
}

/** `nccl-ts run FILE`: a kernel (or a module's own host program) on simulated ranks. */
export function runCommand(): Command {
  return new Command('run')
    .description('run a kernel of a module on simulated ranks, and report')
    .argument('<file>', 'a .ts or .js module that exports kernels, or a function host(comm, { grid, block })')
    .option('-k, --kernel <name>', 'the kernel to launch, where the module exports several')
    .option('-n, --ranks <n>', 'ranks', integer(1, 4096), 4)
    .option('--lsa-size <n>', 'ranks that load and store each other\'s memory; divides the ranks (default: all)', integer(1, 4096))
    .option('-g, --grid <n>', 'CTAs of each rank', integer(1), 16)
    .option('-b, --block <n>', 'threads of each CTA', integer(1, 1024), 512)
    .option('--bytes <size>', 'size of each window parameter: 4096, 64K, 1M', bytes, 2 ** 20)
    .option('-a, --arg <name=value>', 'value of a scalar parameter; repeatable', assignment, new Map<string, string>())
    .option('--seed <n>', 'order in which CTAs take turns', integer(0), 1)
    .option('--resident-ctas <n>', 'CTAs that a rank holds at once', integer(1), 132)
    .option('--show <n>', 'elements of each window to print', integer(0, 1024), 4)
    .option('--json', 'print the report as JSON', false)
    .addHelpText(
      'after',
      '\nWithout a host function, every window parameter gets a window of --bytes that holds f32 values (element i of rank r:\n' +
        'r + (i mod 17) / 16), every DevComm parameter a device communicator with one LSA barrier for each CTA, and every\n' +
        'scalar parameter the value of its --arg.\n\nExample: nccl-ts run all-reduce.ts --ranks 8 --arg offset=0 --arg count=262144',
    )
    .action(async (file: string, options: RunOptions) => {
      const module = await loadModule(file);
      const named = options.kernel !== undefined || module.host === undefined;
      const kernel = named ? chooseKernel(module, options.kernel) : undefined;
      if (kernel !== undefined) checkArguments(kernel, options.arg);
      await run(module, kernel, options);
    });
}

async function run(module: UserModule, kernel: Kernel | undefined, options: RunOptions): Promise<void> {
  const { ranks, lsaSize, grid, block, seed, residentCtas } = options;
  const backend = sim({ ranks, seed, residentCtas, ...(lsaSize === undefined ? {} : { lsaSize }) });
  await using world = await World.open({ backend });
  const started = performance.now();
  using progress = showProgress(`running ${kernel?.name ?? 'host'} on ${ranks} ranks`);
  const results = await world.run(async (comm) =>
    kernel === undefined ? runHost(comm, module, { grid, block }) : runKernel(comm, kernel, options),
  );
  progress.done();
  const ms = performance.now() - started;
  if (options.json) console.log(JSON.stringify({ kernel: kernel?.name, ranks, grid, block, ms, results }, jsonValue, 2));
  else report(kernel?.name ?? 'host', options, results, ms);
}

async function runHost(comm: Communicator, module: UserModule, launch: { grid: number; block: number }): Promise<RankResult> {
  const value = await module.host?.(comm, launch);
  const { printed } = await comm.synchronize();
  return { rank: comm.rank, value, printed, windows: {} };
}

async function runKernel(comm: Communicator, kernel: Kernel, options: RunOptions): Promise<RankResult> {
  const { grid, block, show } = options;
  const prepared = await prepareArguments(comm, kernel, { bytes: options.bytes, lsaBarrierCount: grid, values: options.arg });
  await comm.launch(kernel, { grid, block }, prepared.args);
  const { printed } = await comm.synchronize();
  const windows: Record<string, { sum: number; first: readonly number[] }> = {};
  for (const [name, win] of prepared.windows) windows[name] = await summary(win, show);
  return { rank: comm.rank, printed, windows };
}

async function summary(win: Window, show: number): Promise<{ sum: number; first: readonly number[] }> {
  const values = await win.read();
  let sum = 0;
  for (const value of values) sum += Number(value);
  return { sum, first: [...values.slice(0, show)].map(Number) };
}

function report(name: string, { ranks, grid, block }: RunOptions, results: readonly RankResult[], ms: number): void {
  console.log(`${pc.bold(name)} on ${ranks} rank${ranks === 1 ? '' : 's'}, ${grid} CTAs x ${block} threads: ${pc.green('done')} in ${ms.toFixed(1)} ms`);
  for (const { rank, value, printed, windows } of results) {
    for (const line of printed) console.log(`  ${line}`);
    if (value !== undefined) console.log(`  rank ${rank}: ${shown(value)}`);
    for (const [win, { sum, first }] of Object.entries(windows)) {
      console.log(`  rank ${rank}  ${win}  sum ${sum}${first.length > 0 ? `  [${first.join(', ')}, ...]` : ''}`);
    }
  }
}

function shown(value: unknown): string {
  if (ArrayBuffer.isView(value) && 'length' in value && typeof value.length === 'number') {
    const elements = Array.from({ length: Math.min(4, value.length) }, (_, i): unknown => Reflect.get(value, i));
    return `[${elements.join(', ')}${value.length > 4 ? ', ...' : ''}] (${value.length} elements)`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value, jsonValue);
}

function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return ArrayBuffer.isView(value) ? shown(value) : value;
}

import { Command, Option } from 'commander';
import { checkLsaSize } from './check-options.ts';
import { colorsFor } from './colors.ts';
import { loadModule } from './load-module.ts';
import { assignment, bytes, integer } from './options.ts';
import { planRun, type Run } from './plan-run.ts';
import { showProgress } from './progress.ts';
import { runBackend, runBackendNames, simulatorOptions, type RunBackendName } from './run-backend.ts';
import { reportJson, reportText } from './run-report.ts';
import { checkTraceFile, launchTimes, writeTrace, type LaunchTime } from './trace-file.ts';
import { UsageError } from './usage-error.ts';

interface RunOptions {
  readonly kernel?: string;
  readonly backend: RunBackendName;
  readonly ranks: number;
  readonly lsaSize?: number;
  readonly grid: number;
  readonly block: number;
  readonly bytes: number;
  readonly arg: ReadonlyMap<string, string>;
  readonly seed: number;
  readonly residentCtas: number;
  readonly fuel?: number;
  readonly show: number;
  readonly json?: true;
  readonly trace?: string;
  readonly harness?: string;
}

const MOST_CTAS = 2 ** 31 - 1;

/** On WebGPU, which counts in 32 bits. */
const MOST_FUEL = 2 ** 31 - 1;

const notes = `
Where the module exports a function host(comm, { grid, block }) and no --kernel
is given, host runs once for each rank, and what it returns is shown.

Otherwise the kernel is launched once on each rank. Every window parameter gets
a window of --bytes that holds f32 values (element i of rank r: r + (i mod 17) /
16), every device communicator has one LSA barrier for each CTA, and every other
parameter takes the value of its --arg. Vectors are written 1,2,3,4.

Examples:
  nccl-ts run all-reduce.ts --ranks 8 --arg count=262144
  nccl-ts run all-reduce.ts --backend webgpu --arg count=262144
  nccl-ts run all-reduce.ts --arg count=4096 --trace trace.json
  nccl-ts run training.ts --kernel sumGradients --arg count=1024 --json
  nccl-ts run kernel.cu --harness launch.ts`;

/** `nccl-ts run FILE`: a kernel (or a module's own host program) on simulated ranks, or on ranks that share one GPU. */
export function runCommand(compilerFlags: readonly string[] = []): Command {
  return new Command('run')
    .description('run a kernel or host program of a module on some ranks, and report')
    .argument('<file>', 'a .ts or .js module that exports kernels, a function host or a harness; a .cu or .ptx file')
    .option('-k, --kernel <name>', 'the kernel to launch, where the module exports several')
    .addOption(
      new Option('--backend <name>', 'sim: simulated ranks; webgpu: ranks that share one GPU')
        .choices(runBackendNames)
        .default('sim'),
    )
    .option('-n, --ranks <n>', 'ranks', integer(1, 4096), 4)
    .option('--lsa-size <n>', "ranks that load and store each other's memory (default: all)", integer(1, 4096))
    .option('-g, --grid <n>', 'CTAs of each rank', integer(1, MOST_CTAS), 16)
    .option('-b, --block <n>', 'threads of each CTA', integer(1, 1024), 512)
    .addOption(
      new Option('-a, --arg <name=value>', 'value of a parameter; repeatable')
        .argParser(assignment)
        .default(new Map<string, string>(), 'none'),
    )
    .addOption(
      new Option('--bytes <size>', 'size of each window: 4096, 64K, 1M').argParser(bytes).default(2 ** 20, '1M'),
    )
    .option('--show <n>', 'elements of each window or array to show', integer(0, 1024), 4)
    .option('--json', 'print the report as JSON')
    .option('--seed <n>', 'which order the CTAs take turns in (sim)', integer(0), 1)
    .option('--resident-ctas <n>', 'CTAs that a rank holds at once (sim)', integer(1), 132)
    .option('--trace <file>', 'write what happened when in simulated time: .json for Perfetto, .svg (sim)')
    .option(
      '--fuel <n>',
      'rounds of a loop without a wait before a CTA is stopped (default: 2^30 on sim, 2^22 on webgpu)',
      integer(1),
    )
    .addHelpText('after', notes)
    .option('--harness <file>', 'describes the launches of a .cu or .ptx file')
    .action(async (file: string, given: RunOptions, command: Command) => {
      for (const [name, flag] of Object.entries(simulatorOptions)) {
        if (given.backend === 'sim' || command.getOptionValueSource(name) !== 'cli') continue;
        throw new UsageError(`${flag} is for the simulator, and this runs on ${given.backend}`);
      }
      if (given.backend === 'webgpu' && (given.fuel ?? 0) > MOST_FUEL) {
        throw new UsageError(`--fuel ${given.fuel}: it must be at most ${MOST_FUEL} on webgpu`);
      }
      if (given.trace !== undefined) checkTraceFile(given.trace);
      const module = await loadModule(file, { ...given, compilerFlags });
      const areRanksGiven = command.getOptionValueSource('ranks') === 'cli';
      const options =
        module.harness === undefined || areRanksGiven ? given : { ...given, ranks: module.harness.shape.ranks };
      checkLsaSize(options);
      const run = planRun(module, options, command);
      await runAndReport(run, options);
    });
}

async function runAndReport({ program, name, onRank, failure }: Run, options: RunOptions): Promise<void> {
  const { ranks, lsaSize = ranks, grid, block, show } = options;
  const { backend, ranOn, timeline } = await runBackend({ ...options, lsaSize });
  const { World } = await import('@nccl-ts/communicator');
  await using world = await World.open({ backend });
  using progress = showProgress(`running ${name} on ${ranks} ranks`, process.stderr);
  const trace = async (): Promise<readonly LaunchTime[] | undefined> => {
    const happened = timeline();
    if (happened === undefined || options.trace === undefined) return undefined;
    await writeTrace(options.trace, happened, `${name} on ${ranks} ranks`);
    return launchTimes(happened);
  };
  const results = await world.run(onRank).catch(async (error: unknown) => {
    // What came before an error is what one looks for in a trace.
    await trace();
    throw failure(error);
  });
  const simulated = await trace();
  progress.done();
  const times = simulated === undefined ? {} : { simulated };
  const report = { program, name, ranOn: ranOn(), ranks, lsaSize, grid, block, results, ...times };
  const text = options.json === true ? reportJson(report, show) : reportText(report, show, colorsFor(process.stdout));
  process.stdout.write(`${text}\n`);
}

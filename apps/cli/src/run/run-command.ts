import { Command } from 'commander';
import type { BackendName } from '../backend-names.ts';
import { checkLsaSize, DEFAULT_RESIDENT_CTAS } from '../check/check-options.ts';
import { colorsFor } from '../output/colors.ts';
import { loadModule } from '../module/load-module.ts';
import { integer } from '../options.ts';
import { printOut } from '../output/print.ts';
import { expectWritable } from '../output/write-file.ts';
import { planRun, type PlannedProgram } from './plan-run.ts';
import { showProgress } from '../output/progress.ts';
import { checkBackendOptions, runBackend } from './run-backend.ts';
import { reportJson, reportText, type RunReport } from './run-report.ts';
import { addShared, kernelArgument, namedKernel } from '../shared-options.ts';
import { checkTraceFile, launchTimes, writeTrace, type LaunchTime } from './trace-file.ts';
import { UsageError } from '../usage-error.ts';
import type { KernelValues } from '../launch/kernel-values.ts';

interface RunOptions extends KernelValues {
  readonly kernel?: string;
  readonly backend: BackendName;
  readonly ranks: number;
  readonly lsaSize?: number;
  readonly grid: number;
  readonly block: number;
  readonly bytes: number;
  readonly seed: number;
  readonly residentCtas: number;
  readonly fuel?: number;
  readonly show: number;
  readonly json?: true;
  readonly trace?: string;
  readonly machine?: string;
  readonly harness?: string;
}

const notes = `
If the module exports a function host(comm, { grid, block }) and you name no
kernel, the command runs host once for each rank, and prints what it returns.

Otherwise it launches the kernel once on each rank. Every window parameter gets a
window of --bytes. Every device communicator has one LSA barrier for each CTA,
and what --require asks for. Every other parameter takes the value of its --arg.
Write vectors as 1,2,3,4.

A window has the element type by which the kernel accesses it, if that is one
type, and f32 otherwise; --type sets another. Floats start as a ramp: element i
of rank r is r + (i mod 17) / 16. Integers start as 0. --fill sets another start:
a number; ramp (for integers r + i mod 17); iota, which is i; random, which is
the same in each run.

Examples:
  nccl-ts run all-reduce.ts --ranks 8 --arg count=262144
  nccl-ts run all-reduce.ts --backend webgpu --arg count=262144
  nccl-ts run all-reduce.ts --arg count=4096 --trace trace.json
  nccl-ts run training.ts sumGradients --arg count=1024 --json
  nccl-ts run flags.ts --fill flags=0 --type flags=u32 --require ginSignalCount=1
  nccl-ts run kernel.cu --harness launch.ts`;

/**
 * `nccl-ts run FILE [KERNEL]`: runs a kernel, or a module's own host program, on simulated ranks or
 * on GPUs.
 */
export function runCommand(compilerFlags: readonly string[] = []): Command {
  const command = new Command('run')
    .description('run a kernel or host program on simulated or real ranks, and report the results')
    .argument('<file>', 'a .ts or .js module that exports kernels, a function host or a harness; a .cu or .ptx file')
    .argument(kernelArgument.name, kernelArgument.description);
  addShared(command, {
    kernel: {},
    backend: { default: 'sim' },
    ranks: { default: 4, shown: '4; on cuda one for each GPU' },
    lsaSize: {},
    grid: { default: 16 },
    block: { default: 512 },
    arg: {},
    fill: {},
    type: {},
    require: {},
    bytes: { default: 2 ** 20, shown: '1M' },
  });
  command.option('--show <n>', 'elements of each window or array to show', integer(0, 1024), 4);
  addShared(command, {
    json: {},
    seed: { default: 1, note: '(sim)' },
    residentCtas: { default: DEFAULT_RESIDENT_CTAS, note: '(sim)' },
    fuel: { note: '(default: 2^30 on sim, 2^22 on webgpu)' },
  });
  command.option('--trace <file>', 'write a timeline in simulated time: .json for Perfetto, .svg (sim)');
  command.option('--machine <name>', "with --trace: use a machine's times, as nccl-ts predict does (sim)");
  return addShared(command, { harness: {} })
    .addHelpText('after', notes)
    .action(async (file: string, name: string | undefined, words: RunOptions, self: Command) => {
      const given: RunOptions = { ...words, ...namedKernel(name, words.kernel) };
      checkBackendOptions(given, self);
      if (given.machine !== undefined && given.trace === undefined) {
        throw new UsageError(`--machine ${given.machine} is for --trace; nccl-ts predict ${file} predicts the time`);
      }
      if (given.trace !== undefined) {
        checkTraceFile(given.trace);
        await expectWritable('--trace', given.trace);
      }
      const module = await loadModule(file, { ...given, compilerFlags, simulates: given.backend === 'sim' });
      const areRanksGiven = self.getOptionValueSource('ranks') === 'cli';
      const options =
        module.harness === undefined || areRanksGiven ? given : { ...given, ranks: module.harness.rankCounts[0] };
      checkLsaSize(options);
      const run = planRun(module, options, self);
      await runAndReport(run, options, areRanksGiven || module.harness !== undefined);
    });
}

async function runAndReport(
  { program, name, onRank, failure }: PlannedProgram,
  options: RunOptions,
  areRanksGiven: boolean,
): Promise<void> {
  const { grid, block } = options;
  const { backend, ranOn, timeline } = await runBackend(options, areRanksGiven);
  const { World } = await import('@nccl-ts/communicator');
  await using world = await World.open({ backend });
  const { nRanks: ranks } = world;
  using progress = showProgress(`running ${name} on ${ranks} ranks`, process.stderr);
  const trace = async (): Promise<readonly LaunchTime[] | undefined> => {
    const happened = timeline();
    if (happened === undefined || options.trace === undefined) return undefined;
    await writeTrace(options.trace, happened, `${name} on ${ranks} ranks`);
    return launchTimes(happened);
  };
  const { lsaSize = ranks } = options;
  const results = await world.run(onRank).catch(async (error: unknown) => {
    // A reader of a trace looks for the events before an error.
    await trace();
    throw failure(error);
  });
  const simulated = await trace();
  progress.done();
  const times = simulated === undefined ? {} : { simulated };
  const report = { program, name, ranOn: ranOn(), ranks, lsaSize, grid, block, results, ...times };
  printOut(`${textOf(report, options, failure)}\n`);
}

/** A host program may return an object that runs its own code when it is read. */
function textOf(report: RunReport, { json, show }: RunOptions, failure: PlannedProgram['failure']): string {
  try {
    return json === true ? reportJson(report, show) : reportText(report, show, colorsFor(process.stdout));
  } catch (error) {
    throw failure(error);
  }
}

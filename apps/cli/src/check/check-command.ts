import { Command } from 'commander';
import { exitCodeOf, type CheckReport } from '@nccl-ts/findings';
import { Baseline } from './baseline.ts';
import { checkSeveral } from './check-several.ts';
import type { CheckEngine } from './check-engine.ts';
import {
  addCheckOptions,
  checkExclusions,
  DEFAULT_RANKS,
  DEFAULT_SECONDS,
  type CheckCommandOptions,
  type GivenCheckOptions,
} from './check-options.ts';
import { checkRankCounts } from './check-rank-counts.ts';
import { expectFixable, fixCheck, sourceFixOf } from './fix-check.ts';
import { checkReportJson, checkReportText, type Checked } from './check-report.ts';
import { colorsFor, type Colors } from '../output/colors.ts';
import { STDIN } from '../module/is-kernel-file.ts';
import { findModules } from '../module/find-modules.ts';
import { loadModule } from '../module/load-module.ts';
import { noHeartbeat, type Heartbeat, type StartsHeartbeat } from '../output/heartbeat.ts';
import { visibleLine } from '../output/visible-text.ts';
import { expectWritable } from '../output/write-file.ts';
import { planCheck, type CheckPlan } from './plan-check.ts';
import { writeFirstHarness } from '../ptx/write-first-harness.ts';
import { printAndWrite } from './print-and-write.ts';
import { settleBaseline } from './settle-baseline.ts';
import { namedKernel } from '../shared-options.ts';
import { UsageError } from '../usage-error.ts';
import { watchCheck } from './watch-check.ts';

const notes = `
If the module exports a function host and you name no kernel, the check runs
host. Otherwise it launches the kernel on each rank, with arguments made as
'nccl-ts run' makes them: --fill, --type and --require mean the same. Default
sizes are small. A size that uses every barrier and flag of the kernel finds as
much as the full one, and sooner. With several files, or a pattern in quotes, the
command checks every program of each file. It skips kernels whose arguments it
cannot make, names them, and ends with a summary.

Strategies:
  auto     first one run, which may prove all schedules clean; otherwise a fixed
           number of schedules of several strategies, and for small programs all
           executions. It stops at the first part that finds an error. The same
           seed gives the same verdict on every machine
  random   any order
  pct      changes the priorities of CTAs a few times
  late     delays every CTA and every step of the network as long as possible
  hasty    like late, and lets waits with a time limit time out

Sequences, for a kernel without a host program:
  once     one launch on each rank
  repeat   three launches on one stream without a wait of the host between them,
           so that ranks run ahead of each other
  sizes    three launches on one stream: the given counts, half of them, the
           given counts. It needs an integer --arg such as count or n
  streams  two launches at the same time, on two streams, with a window each and
           one device communicator
The default is once, repeat and, where there is a count, sizes. streams runs only
where you name it: a kernel with a barrier may never run twice at once with one
device communicator. The check stops at the first sequence with an error. With a
harness, each launch of once, repeat and streams is its whole list of kernels; by
default its own launches run.

nvcc compiles a .cu file (NCCLTS_NVCC, or on the PATH, in CUDA_HOME or in
/usr/local/cuda), or else clang++. Options after -- go to the compiler. The
harness gives the launch, and the number of ranks unless you do. It is the file
of --harness, or a module whose default export names its kernel. A comment in the
.cu accepts a finding at its line:
  // nccl-ts: accept race because the flag is volatile

Exit codes: 0 clean; 1 an error was found, or the program failed otherwise; 2 the
command line is wrong; 3 nothing was found, but a bound or --time was reached. Of
several programs the worst one counts.

Examples:
  nccl-ts check all-reduce.ts --arg count=1024
  nccl-ts check --compile-only 'src/**/*.ts'
  nccl-ts check 'src/**/*.kernel.ts' --arg count=256 --baseline accepted.json
  nccl-ts check all-reduce.ts --arg count=64 --sequence repeat --wrap 32
  nccl-ts check all-reduce.ts --strategy pct --schedules 1000 --arg count=64
  nccl-ts check barrier.ts --ranks 2 --grid 1 --block 2 --exhaustive --time 60
  nccl-ts check all-reduce.ts --arg count=1024 --shrink --sarif check.sarif
  nccl-ts check kernel.cu --write launch.ts
  nccl-ts check kernel.cu --harness launch.ts -- -I include -std=c++17
  nccl-ts check launch.ts --save program.json
  nccl-ts check program.json`;

/** `nccl-ts check FILES... [KERNEL]`: checks kernels, or host programs and their kernels. */
export function checkCommand(
  onDone: (exitCode: number) => void,
  engine?: CheckEngine,
  compilerFlags: readonly string[] = [],
  beats: StartsHeartbeat = noHeartbeat,
): Command {
  const command = new Command('check')
    .description('find data races, missing synchronization, misuse and deadlocks on simulated ranks')
    .argument(
      '<files...>',
      'modules that export kernels, a function host or a harness, .cu or .ptx files, programs in JSON (- reads one from standard input), or patterns; one file may be followed by the name of a kernel',
    );
  return addCheckOptions(command)
    .addHelpText('after', notes)
    .action(async (words: readonly string[], given: GivenCheckOptions, self: Command) => {
      checkExclusions(given, self);
      if (given.sarif !== undefined) await expectWritable('--sarif', given.sarif);
      if (given.save !== undefined) await expectWritable('--save', given.save);
      if (given.updateBaseline === true && given.baseline !== undefined) {
        await expectWritable('--baseline', given.baseline);
      }
      const { files, kernel, areSeveral } = await findModules(words);
      const { ranks: counts, ...others } = given;
      const areRanksGiven = self.getOptionValueSource('ranks') === 'cli';
      const options: CheckCommandOptions = {
        ...others,
        ranks: counts[0] ?? DEFAULT_RANKS,
        ...(areRanksGiven ? { rankCounts: counts } : {}),
        compilerFlags,
        ...namedKernel(kernel, others.kernel),
      };
      if (options.write !== undefined) {
        if (areSeveral) throw new UsageError('--write is for one file; write a first harness for each');
        const { write, force = false } = options;
        const named = options.kernel === undefined ? {} : { kernel: options.kernel };
        const [kernelFile = ''] = files;
        await writeFirstHarness({ file: kernelFile, ...named, write, force, compilerFlags });
        return;
      }
      if (options.compileOnly === true) {
        const { compileOnly } = await import('./compile-only.ts');
        onDone(await compileOnly(files, options));
        return;
      }
      if (options.save !== undefined) {
        if (areSeveral) throw new UsageError('--save is for one file; save each launch by itself');
        const { save, harness, rankCounts } = options;
        const [launch = ''] = files;
        const { saveProgram } = await import('./save-program.ts');
        await saveProgram({
          file: launch,
          save,
          compilerFlags,
          ...(harness === undefined ? {} : { harness }),
          ...(rankCounts === undefined ? {} : { rankCounts }),
        });
      }
      if (options.watch === true) {
        if (files.includes(STDIN)) throw new UsageError('--watch needs files, and standard input is none');
        await watchCheck(files);
        return;
      }
      const baseline =
        options.baseline === undefined
          ? undefined
          : await Baseline.read(options.baseline, options.updateBaseline === true);
      const [file = ''] = files;
      using heartbeat = beats(`reading ${visibleLine(file)}`);
      heartbeat.limit(options.time ?? DEFAULT_SECONDS);
      const by = heard(engine ?? simulator, heartbeat, options.time ?? DEFAULT_SECONDS);
      onDone(
        areSeveral
          ? await checkSeveral(by, files, options, baseline)
          : await checkOne(by, file, options, baseline, self, heartbeat),
      );
    });
}

/**
 * Loaded only when there is something to check, so that mistakes on the command line are reported
 * sooner.
 */
const simulator: CheckEngine = async (options, program) => (await import('@nccl-ts/checker')).check(options, program);

/** Tells `heartbeat` what the engine does. Each call of the engine has the time limit anew. */
function heard(engine: CheckEngine, heartbeat: Heartbeat, seconds: number): CheckEngine {
  return async (options, program) => {
    heartbeat.limit(options.time ?? seconds);
    heartbeat.doing('checking');
    const onPhase = (phase: string): void => {
      heartbeat.doing(`checking: ${visibleLine(phase)}`);
      options.onPhase?.(phase);
    };
    try {
      return await engine({ ...options, onPhase }, program);
    } finally {
      heartbeat.clear();
    }
  };
}

/** Says where to read about the findings. Only for people, because programs use the code. */
function explainLines({ findings: [first] }: CheckReport, colors: Colors): readonly string[] {
  if (first === undefined || !process.stdout.isTTY) return [];
  return [colors.dim(`for details, run nccl-ts explain ${first.kind}`)];
}

async function checkOne(
  by: CheckEngine,
  file: string,
  given: CheckCommandOptions,
  baseline: Baseline | undefined,
  command: Command,
  heartbeat: Heartbeat,
): Promise<number> {
  const module = await loadModule(file, { ...given, simulates: true });
  const plan = planCheck(module, given, command);
  if (given.shrink === true && plan.program === 'host') {
    const runs = module.harness === undefined ? 'function host' : 'harness';
    throw new UsageError(`--shrink is for a kernel, and this runs the ${runs} of ${file}; name a kernel`);
  }
  if (given.fix === true) expectFixable(file, plan, given);
  const started = performance.now();
  const accepts = given.updateBaseline === true ? 'everything' : (baseline?.of(file, plan.name) ?? []);
  const planFor = (one: CheckCommandOptions): CheckPlan => planCheck(module, one, command);
  const result = await checkRankCounts(by, plan, planFor, given, accepts);
  const { options } = result;
  const shrunk =
    options.shrink === true
      ? await (await import('./shrink-check.ts')).shrinkCheck(by, module, options, command, result.report)
      : undefined;
  const milliseconds = performance.now() - started;
  const isWrong = result.report.findings.some(({ severity }) => severity === 'error');
  const fix = given.fix === true && isWrong ? await fixCheck(file, plan, given, heartbeat) : undefined;
  const checked: Checked = {
    ...result,
    file,
    program: plan.program,
    name: plan.name,
    hasDefaultRanks: module.harness?.fixesRanks === false && given.rankCounts === undefined,
    milliseconds,
    ...(shrunk === undefined ? {} : { shrunk }),
    ...(fix === undefined ? {} : { fix }),
  };
  const colors = colorsFor(process.stdout);
  const settled = await settleBaseline(baseline, [checked], options);
  const text =
    options.json === true
      ? JSON.stringify(
          {
            ...checkReportJson(checked),
            ...settled.json,
            ...(options.jsonText === true ? { text: checkReportText(checked, colorsFor({})) } : {}),
          },
          undefined,
          2,
        )
      : [checkReportText(checked, colors), ...settled.lines, ...explainLines(result.report, colors)].join('\n\n');
  await printAndWrite(`${text}\n`, options, result.report, fix === undefined ? undefined : sourceFixOf(fix));
  return exitCodeOf(result.report);
}

import { Command, Option } from 'commander';
import { exitCodeOf } from '@nccl-ts/findings';
import type { CheckEngine } from './check-engine.ts';
import {
  checkExclusions,
  DEFAULT_BYTES,
  DEFAULT_RESIDENT_CTAS,
  engineOptions,
  strategyNames,
  type CheckCommandOptions,
} from './check-options.ts';
import { checkReportJson, checkReportText, writeSarif, type Checked } from './check-report.ts';
import { colorsFor } from './colors.ts';
import { loadModule } from './load-module.ts';
import { assignment, bytes, integer } from './options.ts';
import { planRun } from './plan-run.ts';
import { UsageError } from './usage-error.ts';

const MOST_CTAS = 2 ** 31 - 1;

const notes = `
What runs is what 'nccl-ts run' runs: the module's function host where it exports
one and no kernel is named, else the kernel, once on each rank, with arguments
made the same way. The sizes are small by default: a size that has every barrier
and every flag of the kernel shows as much as the full one, and sooner.

Exit codes: 0 clean, 1 something was found or the program failed otherwise,
2 the command line is wrong, 3 nothing was found but a bound was reached.

Examples:
  nccl-ts check all-reduce.ts --arg count=1024
  nccl-ts check all-reduce.ts --strategy pct --schedules 1000 --arg count=64
  nccl-ts check barrier.ts --ranks 2 --grid 1 --block 2 --exhaustive
  nccl-ts check all-reduce.ts --arg count=1024 --shrink --sarif check.sarif`;

/** `nccl-ts check FILE [KERNEL]`: what is wrong with a kernel, or with a host program and its kernels. */
export function checkCommand(onDone: (exitCode: number) => void, engine?: CheckEngine): Command {
  return new Command('check')
    .description('look for races, misuse and deadlocks in a kernel or host program, on simulated ranks')
    .argument('<file>', 'a .ts or .js module that exports kernels, or a function host')
    .argument('[kernel]', 'the kernel to launch, where the module exports several')
    .option('-k, --kernel <name>', 'the same')
    .option('-n, --ranks <n>', 'ranks', integer(1, 4096), 4)
    .option('--lsa-size <n>', "ranks that load and store each other's memory (default: all)", integer(1, 4096))
    .option('-g, --grid <n>', 'CTAs of each rank', integer(1, MOST_CTAS), 2)
    .option('-b, --block <n>', 'threads of each CTA', integer(1, 1024), 32)
    .addOption(
      new Option('-a, --arg <name=value>', 'value of a parameter; repeatable')
        .argParser(assignment)
        .default(new Map<string, string>(), 'none'),
    )
    .addOption(
      new Option('--bytes <size>', 'size of each window: 4096, 64K, 1M').argParser(bytes).default(DEFAULT_BYTES, '64K'),
    )
    .addOption(
      new Option(
        '--strategy <name>',
        'how schedules are chosen: random; pct: few changes of priority; late: all as late as may be',
      )
        .choices(strategyNames)
        .default('random'),
    )
    .option('--schedules <n>', 'how many schedules: the seeds from --seed on', integer(1), 10)
    .option('--seed <n>', 'the first seed: everything that chance decides follows from it', integer(0), 1)
    .option('--depth <n>', 'steps that have to come in one order for it to show (pct)', integer(1, 64))
    .option('--exhaustive', 'go through all schedules and values that the memory model allows: for small inputs')
    .option(
      '--bound <n>',
      'the most executions to go through where one does not stand for all (with --exhaustive)',
      integer(0),
    )
    .option('--replay <choices>', 'run the one schedule that a finding names')
    .option('--strict', 'count as errors what is wrong by the memory model alone')
    .option('--shrink', 'look for the smallest launch that shows the worst finding (for kernels)')
    .option('--json', 'print the report as JSON')
    .option('--sarif <file>', 'write the report for editors and code hosts as well')
    .option('--resident-ctas <n>', 'CTAs that a rank holds at once', integer(1), DEFAULT_RESIDENT_CTAS)
    .option('--fuel <n>', 'rounds of a loop without a wait before a CTA is stopped (default: 2^30)', integer(1))
    .addHelpText('after', notes)
    .action(
      async (file: string, kernel: string | undefined, given: Omit<CheckCommandOptions, 'show'>, command: Command) => {
        if (kernel !== undefined && given.kernel !== undefined) {
          throw new UsageError(`--kernel ${given.kernel}: the kernel is named already, ${kernel}`);
        }
        const options: CheckCommandOptions = { ...given, show: 0, ...(kernel === undefined ? {} : { kernel }) };
        checkExclusions(options, command);
        const module = await loadModule(file);
        const run = planRun(module, options, command);
        if (options.shrink === true && run.program === 'host') {
          throw new UsageError(`--shrink is for kernels, and this runs the function host of ${file}`);
        }
        const started = performance.now();
        const by = engine ?? (await import('@nccl-ts/backend-sim')).check;
        const { runCheck } = await import('./run-check.ts');
        const report = await runCheck(by, engineOptions(options), run);
        const { shrinkCheck } = await import('./shrink-check.ts');
        const shrunk = options.shrink === true ? await shrinkCheck(by, module, options, report) : undefined;
        const checked: Checked = {
          file,
          program: run.program,
          name: run.name,
          options,
          report,
          milliseconds: performance.now() - started,
          ...(shrunk === undefined ? {} : { shrunk }),
        };
        const text =
          options.json === true ? checkReportJson(checked) : checkReportText(checked, colorsFor(process.stdout));
        process.stdout.write(`${text}\n`);
        if (options.sarif !== undefined) await writeSarif(options.sarif, report);
        onDone(exitCodeOf(report));
      },
    );
}

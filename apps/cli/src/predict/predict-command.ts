import { Command, InvalidArgumentError, Option } from 'commander';
import {
  collectiveNames,
  dataTypeOfScalar,
  scalarKinds,
  type CollectiveName,
  type ScalarKind,
  type TimelineRecorder,
} from '@nccl-ts/core';
import { colorsFor } from '../output/colors.ts';
import type { KernelValues } from '../launch/kernel-values.ts';
import { loadModule } from '../module/load-module.ts';
import { bytes, integer, integerList } from '../options.ts';
import { printOut } from '../output/print.ts';
import { createTimelineRecorder } from '@nccl-ts/timeline';
import type { PredictProgram } from '@nccl-ts/prediction';
import { planRun, type PlannedProgram } from '../run/plan-run.ts';
import { expectWritable } from '../output/write-file.ts';
import { checkTraceFile, writeTrace } from '../run/trace-file.ts';
import { showProgress } from '../output/progress.ts';
import { addShared, kernelArgument, namedKernel } from '../shared-options.ts';
import { UsageError } from '../usage-error.ts';
import { machineNamed } from '../profile/machine-named.ts';
import { whatIfChoice, type WhatIfChoice } from './what-if-option.ts';
import { predictJson, predictText, type PredictedRow, type PredictReport } from './predict-report.ts';

/** The values of one parameter. */
interface Over {
  readonly name: string;
  readonly values: readonly number[];
}

export interface PredictOptions extends KernelValues {
  readonly kernel?: string;
  readonly machine: string;
  readonly ranks: readonly number[];
  readonly grid: number;
  readonly block: number;
  readonly bytes: number;
  readonly over?: Over;
  readonly minbytes: number;
  readonly maxbytes: number;
  readonly stepfactor: number;
  readonly datatype: ScalarKind;
  readonly algorithm?: string;
  readonly bounds: boolean;
  readonly whatIf: readonly WhatIfChoice[];
  readonly trace?: string;
  readonly harness?: string;
  readonly json?: true;
}

const datatypes = scalarKinds.filter((kind) => dataTypeOfScalar(kind) !== undefined);
const MOST_RANKS = 64;

const notes = `
The time is simulated, by the costs of --machine: a GPU is not needed. It is that
of the kernels and their launches in a graph. The host program takes no time.

FILE is what nccl-ts run takes; the command predicts one launch of the kernel, or
all launches of function host or of a harness. Instead of a file, name a
collective: ${collectiveNames.slice(0, 4).join(', ')}
${collectiveNames.slice(4).join(', ')}.
The command then predicts one call among others, out of place.

"bounded by" names the parts of the time that would be gone if a cause cost
nothing: a launch, latency of memory and links, the bandwidth of one CTA, of a
link, of memory, synchronization, or the network. Parts overlap. Each cause is
another run: --no-bounds leaves them out.

--what-if predicts the program once more with a change, and may be repeated:
  42=removed    the fence, barrier, wait or flag in line 42; its every copy
  42=weaker     the same, one step weaker; also relaxed, acquire, release,
                device, block, plain, or warp: it synchronizes each warp only
  ctas=2x       every launch has twice its CTAs
  stores=16     a thread's stores to neighbouring places become one of 16 bytes
  each          each synchronization removed and weaker, one at a time
Changes with commas in between are made together. FILE:42 names a line of another
file. The changed program may be wrong: this is about its time alone.

Examples:
  nccl-ts predict allReduce --ranks 2,8 --minbytes 1K -e 1M
  nccl-ts predict all-reduce.ts --ranks 2,4 --over count=1K,16K,256K
  nccl-ts predict kernel.cu --harness launch.ts --machine my-machine.json
  nccl-ts predict kernel.cu --harness launch.ts --what-if 42=relaxed,57=removed`;

/** `nccl-ts predict FILE|COLLECTIVE`: predicts the time on GPUs, without one. */
export function predictCommand(compilerFlags: readonly string[] = []): Command {
  const command = new Command('predict')
    .description('predict the time of a kernel or collective on GPUs, and its bottleneck; needs no GPU')
    .argument('<what>', 'a .ts or .js module, a .cu or .ptx file, or a collective')
    .argument(kernelArgument.name, kernelArgument.description)
    .option('--machine <name>', 'the machine: h100-nvlink4, h200-nvlink4, or a profile FILE.json', 'h100-nvlink4')
    .addOption(
      new Option('-n, --ranks <list>', 'numbers of ranks').argParser(integerList(1, MOST_RANKS)).default([2], '2'),
    );
  addShared(command, {
    kernel: {},
    grid: { default: 16 },
    block: { default: 512 },
    arg: {},
    fill: {},
    type: {},
    require: {},
    bytes: { default: 2 ** 20, shown: '1M' },
    harness: {},
  });
  command
    .addOption(new Option('--over <name=values>', 'values of one parameter: count=1K,16K,256K').argParser(overOf))
    .addOption(new Option('--minbytes <size>', 'smallest size of a collective').argParser(bytes).default(2 ** 10, '1K'))
    .addOption(new Option('-e, --maxbytes <size>', 'largest size').argParser(bytes).default(2 ** 20, '1M'))
    .option('-f, --stepfactor <n>', 'factor from one size to the next', integer(2, 2 ** 31 - 1), 4)
    .addOption(new Option('-d, --datatype <type>', 'type of the elements').choices(datatypes).default('bf16'))
    .option('--algorithm <name>', 'algorithm of the collective (default: the one that would be selected on a GPU)')
    .option('--no-bounds', 'do not determine the bottleneck')
    .addOption(
      new Option('--what-if <change>', 'predict a change too: 42=removed, 42=relaxed, ctas=2x, stores=16; repeatable')
        .argParser(whatIfChoice)
        .default([], 'none'),
    )
    .option('--trace <file>', 'write the timeline, of the only what-if if there is one: .json for Perfetto, .svg');
  return addShared(command, { json: {} })
    .addHelpText('after', notes)
    .action(async (what: string, name: string | undefined, words: PredictOptions, self: Command) => {
      const options: PredictOptions = { ...words, ...namedKernel(name, words.kernel) };
      if (options.trace !== undefined) {
        checkTraceFile(options.trace);
        const [choice, ...others] = options.whatIf;
        if (others.length > 0 || choice?.changes === 'each')
          throw new UsageError(`--trace ${options.trace} draws one what-if, but there are several`);
        await expectWritable('--trace', options.trace);
      }
      const report = await reportOn(what, options, self, compilerFlags);
      if (options.trace !== undefined) await traceOf(options.trace, report);
      printOut(`${options.json === true ? predictJson(report) : predictText(report, colorsFor(process.stdout))}\n`);
    });
}

async function reportOn(
  what: string,
  options: PredictOptions,
  self: Command,
  compilerFlags: readonly string[],
): Promise<PredictReport> {
  if (!isCollective(what)) return reportOnFile(what, options, self, compilerFlags);
  for (const name of ['kernel', 'grid', 'block', 'arg', 'fill', 'type', 'require', 'bytes', 'harness', 'over']) {
    if (self.getOptionValueSource(name) === 'cli') throw new UsageError(`--${name} is for a kernel, not for ${what}`);
  }
  const { minbytes, maxbytes, stepfactor, datatype: element, ranks: counts, machine, bounds, whatIf } = options;
  if (minbytes > maxbytes) throw new UsageError(`--minbytes ${minbytes} is more than --maxbytes ${maxbytes}`);
  if (counts.includes(1)) throw new UsageError('--ranks 1: a collective needs at least two ranks');
  const costs = await machineNamed(machine);
  const { algorithmNamed, predictCollective } = await import('./predict-collective.ts');
  const algorithm = options.algorithm === undefined ? {} : { algorithm: algorithmNamed(what, options.algorithm) };
  const rows: PredictedRow[] = [];
  let doing = '';
  using progress = showProgress(() => doing, process.stderr);
  for (const ranks of counts) {
    for (let size = minbytes; size <= maxbytes; size *= stepfactor) {
      doing = `predicting ${what} of ${size} bytes on ${ranks} ranks`;
      const call = { collective: what, bytes: size, element, ranks, ...algorithm };
      const predicted = await predictCollective(
        call,
        { machine: costs, bounds, ...recording(options) },
        whatIf,
        (of) => {
          doing = `predicting ${what} of ${size} bytes on ${ranks} ranks with ${of}`;
        },
      );
      rows.push({ ranks, size, ...predicted });
    }
  }
  progress.done();
  return { name: `${what}, ${element}`, machine, sizeName: 'bytes', rows };
}

function isCollective(what: string): what is CollectiveName {
  return collectiveNames.some((name) => name === what);
}

/** Reports on a kernel, a host program or a harness. */
async function reportOnFile(
  file: string,
  options: PredictOptions,
  self: Command,
  compilerFlags: readonly string[],
): Promise<PredictReport> {
  for (const name of ['minbytes', 'maxbytes', 'stepfactor', 'datatype', 'algorithm']) {
    if (self.getOptionValueSource(name) !== 'cli') continue;
    throw new UsageError(`--${name} is for a collective; ${file} is a file`);
  }
  const { over, machine, bounds, grid, block, whatIf } = options;
  const costs = await machineNamed(machine);
  const module = await loadModule(file, { ...options, compilerFlags, simulates: true });
  if (module.harness !== undefined && self.getOptionValueSource('ranks') === 'cli') {
    throw new UsageError('--ranks: the harness says how many ranks there are; change it there');
  }
  const counts = module.harness === undefined ? options.ranks : module.harness.rankCounts.slice(0, 1);
  if (over !== undefined && module.host !== undefined && options.kernel === undefined)
    throw new UsageError(`--over is for a kernel's parameter, but this runs a program of ${file}`);
  const { predictWithWhatIfs } = await import('./what-ifs.ts');
  const { World } = await import('@nccl-ts/communicator');
  const rows: PredictedRow[] = [];
  let doing = '';
  let name = '';
  using progress = showProgress(() => doing, process.stderr);
  for (const ranks of counts) {
    for (const size of over?.values ?? [undefined]) {
      doing = `predicting ${file} on ${ranks} ranks`;
      const arg =
        over === undefined || size === undefined ? options.arg : new Map([...options.arg, [over.name, String(size)]]);
      const given = { ...options, arg, grid, block, show: 0 };
      const run = planRun(module, given, self);
      name = run.name;
      const { harness } = module;
      const unchecked = harness === undefined ? run : planRun({ ...module, host: harness.unchecked }, given, self);
      const programOf =
        ({ onRank }: PlannedProgram): PredictProgram =>
        async (backend) => {
          await using world = await World.open({ backend });
          await world.run(onRank);
        };
      const prediction = await predictWithWhatIfs(
        { ranks, machine: costs, bounds, ...recording(options) },
        { asItIs: programOf(run), unchecked: programOf(unchecked) },
        whatIf,
        (of) => {
          doing = `predicting ${file} on ${ranks} ranks with ${of}`;
        },
      ).catch((error: unknown) => {
        throw run.failure(error);
      });
      rows.push({ ranks, ...(size === undefined ? {} : { size }), ...prediction });
    }
  }
  progress.done();
  return { name, machine, ...(over === undefined ? {} : { sizeName: over.name }), rows };
}

/** Records the program, if its timeline is to be written. */
function recording({ trace }: PredictOptions): { readonly recorder?: TimelineRecorder } {
  return trace === undefined ? {} : { recorder: createTimelineRecorder() };
}

/** Writes the timeline of the only row, with its only what-if if there is one. */
async function traceOf(file: string, { name, rows }: PredictReport): Promise<void> {
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0)
    throw new UsageError('--trace draws one prediction, but there are several');
  const { whatIfs: [only] = [], timeline } = row;
  const drawn = only === undefined ? timeline : 'prediction' in only ? only.prediction.timeline : undefined;
  if (drawn === undefined) return;
  await writeTrace(file, drawn, only === undefined ? name : `${name} with ${only.whatIf}`);
}

function overOf(text: string): Over {
  const match = /^([^=]+)=(.+)$/.exec(text);
  const [, name, values] = match ?? [];
  if (name === undefined || values === undefined) throw new InvalidArgumentError('Write NAME=VALUE,VALUE.');
  return { name, values: values.split(',').map(bytes) };
}

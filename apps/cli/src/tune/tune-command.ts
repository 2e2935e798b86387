import { Command, Option } from 'commander';
import { dataTypeOfScalar, scalarKinds } from '@nccl-ts/core';
import { colorsFor } from '../output/colors.ts';
import { bytes, integer } from '../options.ts';
import { printOut } from '../output/print.ts';
import { expectWritable, writeFile } from '../output/write-file.ts';
import { addShared, renamed } from '../shared-options.ts';
import type { TuneOptions } from './tune.ts';
import { UsageError } from '../usage-error.ts';

interface TuneCommandOptions extends TuneOptions {
  readonly out?: string;
  readonly json?: true;
}

const usual = ['allReduce', 'allGather', 'reduceScatter', 'broadcast'] as const;
const datatypes = scalarKinds.filter((kind) => dataTypeOfScalar(kind) !== undefined);

const notes = `
Without names, it measures ${usual.join(', ')}.

Sizes are counted as in nccl-ts-bench and nccl-tests: all ranks' parts together.
Rules use the bytes of the call's count, which the second column shows.

For each size, the algorithms take turns. They first warm up until none becomes faster, for at most 5 seconds per size, because freshly compiled code is slow. Then the command
measures --rounds rounds. It selects another algorithm only if its median time is lower by --margin per cent, and if it is faster in three quarters of the rounds. The margin applies to the median only: in a single round, any lead counts. Calls are out of place, reductions are sums, and rank 0 is the root. The
command does not verify data: nccl-ts-bench does.

On the simulator the times are those of the simulation, not of a GPU. With --predicted, they are predictions for GPUs that this machine need not have. The default is 2 ranks.

In a program:
  setSelection(comm, [...parseSelection(text), ...defaultSelection])

Examples:
  nccl-ts tune --backend cuda --minbytes 1K -e 256M -G 5 --out rules.json
  nccl-ts tune allReduce --backend webgpu --ranks 4 --minbytes 1K -e 1M
  nccl-ts tune allReduce --predicted h100-nvlink4 --ranks 2 -e 64K`;

/**
 * `nccl-ts tune`: finds the fastest algorithm for each size, as rules for the collectives'
 * selection.
 */
export function tuneCommand(): Command {
  const command = new Command('tune')
    .description('measure the algorithms of collectives, and write rules that select the fastest')
    .argument('[collectives...]', 'what to measure');
  addShared(command, {
    backend: { default: 'sim' },
    ranks: { least: 2, note: '(default: 4; on cuda one for each GPU)' },
    lsaSize: {},
  });
  command
    .addOption(new Option('--minbytes <size>', 'smallest size').argParser(bytes).default(2 ** 10, '1K'))
    .addOption(new Option('-e, --maxbytes <size>', 'largest size').argParser(bytes).default(2 ** 20, '1M'))
    .addOption(renamed('-b <size>', 'Write --minbytes: -b is --block in every command.'))
    .option('-f, --stepfactor <n>', 'factor from one size to the next', integer(2, 2 ** 31 - 1), 4)
    .addOption(new Option('-d, --datatype <type>', 'type of the elements').choices(datatypes).default('f32'))
    .option('--rounds <n>', 'measured rounds of each algorithm', integer(1), 7)
    .option('--iters <n>', 'calls in each round', integer(1), 20)
    .option(
      '-w, --warmups <n>',
      'minimum number of warm-up rounds: they continue until times are steady, and 0 means none',
      integer(0),
      2,
    )
    .option('-G, --cudagraph <n>', 'capture each turn into a graph and replay it <n> times', integer(0), 0)
    .option(
      '--predicted <machine>',
      'predict the times on GPUs instead of measuring, as nccl-ts predict --machine does',
    )
    .option('--margin <percent>', 'switch only to an algorithm whose median is lower by this much', integer(0, 99), 5);
  return addShared(command, { out: { note: '(the rules, as JSON)' }, json: { note: '(all times and the rules)' } })
    .addHelpText('after', notes)
    .action(async (names: readonly string[], options: TuneCommandOptions, self: Command) => {
      const { minbytes, maxbytes, out, json } = options;
      if (minbytes > maxbytes) throw new UsageError(`--minbytes ${minbytes} is more than --maxbytes ${maxbytes}`);
      if (options.predicted !== undefined) {
        for (const name of ['backend', 'lsaSize', 'rounds', 'iters', 'warmups', 'cudagraph']) {
          if (self.getOptionValueSource(name) !== 'cli') continue;
          throw new UsageError(`--predicted ${options.predicted} measures nothing: leave out --${flagOf(name)}`);
        }
      }
      // Reported now, and not after everything has been measured.
      if (out !== undefined) await expectWritable('--out', out);
      const { tune, collectiveOf } = await import('./tune.ts');
      const { rulesJson, tuneJson, tuneTables, tuneVerdict } = await import('./tune-report.ts');
      const report = await tune(names.length === 0 ? usual : [...new Set(names.map(collectiveOf))], options);
      const colors = colorsFor(process.stdout);
      const text = json === true ? tuneJson(report) : `${tuneTables(report, colors)}\n\n${tuneVerdict(report)}`;
      try {
        if (out !== undefined) await writeFile('--out', out, rulesJson(report.rules));
      } finally {
        printOut(`${text}\n`);
      }
    });
}

function flagOf(name: string): string {
  return name === 'lsaSize' ? 'lsa-size' : name;
}

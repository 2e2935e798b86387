import { Command, Option } from 'commander';
import { dataTypeOfScalar, scalarKinds } from '@nccl-ts/core';
import { colorsFor } from './colors.ts';
import { bytes, integer } from './options.ts';
import { printOut } from './output/print.ts';
import { expectWritable, writeFile } from './output/write-file.ts';
import { addShared, renamed } from './shared-options.ts';
import type { TuneOptions } from './tune.ts';
import { UsageError } from './usage-error.ts';

interface TuneCommandOptions extends TuneOptions {
  readonly out?: string;
  readonly json?: true;
}

const usual = ['allReduce', 'allGather', 'reduceScatter', 'broadcast'] as const;
const datatypes = scalarKinds.filter((kind) => dataTypeOfScalar(kind) !== undefined);

const notes = `
Collectives: ${usual.join(', ')} where none is named.

Sizes are counted as nccl-ts-bench and nccl-tests do: of all ranks' parts where
there are parts. Rules count the bytes of the call's count, the second column.

All algorithms of a size take turns: first until none becomes faster any more,
since code that has just been compiled is slow, at most 5 seconds for each size;
then --rounds times, and medians of these are compared. What
is chosen changes only where another algorithm is --margin per cent faster, and
faster in three quarters of the rounds.
Calls are out of place; sums, and rank 0 is the root. Data is not looked at:
nccl-ts-bench does that.

On the simulator the times are those of the simulation, and say nothing of a GPU.

In a program:
  setSelection(comm, [...parseSelection(text), ...defaultSelection])

Examples:
  nccl-ts tune --backend cuda --minbytes 1K -e 256M -G 5 --out rules.json
  nccl-ts tune allReduce --backend webgpu --ranks 4 --minbytes 1K -e 1M`;

/** `nccl-ts tune`: which algorithm is the fastest for which size, as rules for the collectives' selection. */
export function tuneCommand(): Command {
  const command = new Command('tune')
    .description("measure the collectives' algorithms, and write rules that choose the fastest")
    .argument('[collectives...]', 'what to measure');
  addShared(command, {
    backend: { default: 'sim' },
    ranks: { least: 2, note: '(default: 4; on cuda one for each GPU)' },
    lsaSize: {},
  });
  command
    .addOption(new Option('--minbytes <size>', 'least size').argParser(bytes).default(2 ** 10, '1K'))
    .addOption(new Option('-e, --maxbytes <size>', 'most size').argParser(bytes).default(2 ** 20, '1M'))
    .addOption(renamed('-b <size>', 'Write --minbytes: -b is --block in every command.'))
    .option('-f, --stepfactor <n>', 'from size to size', integer(2, 2 ** 31 - 1), 4)
    .addOption(new Option('-d, --datatype <type>', 'type of the elements').choices(datatypes).default('f32'))
    .option('--rounds <n>', 'times that the algorithms take turns', integer(1), 7)
    .option('--iters <n>', 'calls of a turn', integer(1), 20)
    .option(
      '-w, --warmups <n>',
      'least number of rounds before, which do not count; with 0 there are none, else they go on until times are steady',
      integer(0),
      2,
    )
    .option('-G, --cudagraph <n>', 'record the calls of a turn into a graph, and launch it so often', integer(0), 0)
    .option('--margin <percent>', 'by how much faster replaces what is chosen', integer(0, 99), 5);
  return addShared(command, { out: { note: '(the rules, as JSON)' }, json: { note: '(all times and the rules)' } })
    .addHelpText('after', notes)
    .action(async (names: readonly string[], options: TuneCommandOptions) => {
      const { minbytes, maxbytes, out, json } = options;
      if (minbytes > maxbytes) throw new UsageError(`--minbytes ${minbytes} is more than --maxbytes ${maxbytes}`);
      // Better now than after all has been measured.
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

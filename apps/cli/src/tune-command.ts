import { access, constants, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { dataTypeOfScalar, scalarKinds } from '@nccl-ts/core';
import { colorsFor } from './colors.ts';
import { bytes, integer } from './options.ts';
import { tuneBackendNames } from './tune-backend.ts';
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

All algorithms of a size take turns, --rounds times; medians are compared. What
is chosen changes only where another algorithm is --margin per cent faster, and
faster in three quarters of the rounds.
Calls are out of place; sums, and rank 0 is the root. Data is not looked at:
nccl-ts-bench does that.

On the simulator the times are those of the simulation, and say nothing of a GPU.

In a program:
  setSelection(comm, [...parseSelection(text), ...defaultSelection])

Examples:
  nccl-ts tune --backend cuda -b 1K -e 256M -G 5 --out rules.json
  nccl-ts tune allReduce --backend webgpu --ranks 4 -b 1K -e 1M`;

/** `nccl-ts tune`: which algorithm is the fastest for which size, as rules for the collectives' selection. */
export function tuneCommand(): Command {
  return new Command('tune')
    .description("measure the collectives' algorithms, and write rules that choose the fastest")
    .argument('[collectives...]', 'what to measure')
    .addOption(new Option('--backend <name>', 'where the ranks are').choices(tuneBackendNames).default('sim'))
    .option('--ranks <n>', 'ranks (default: 4; on cuda all GPUs)', integer(2, 4096))
    .option('--lsa-size <n>', "ranks that load and store each other's memory (default: all)", integer(1, 4096))
    .addOption(new Option('-b, --minbytes <size>', 'least size').argParser(bytes).default(2 ** 10, '1K'))
    .addOption(new Option('-e, --maxbytes <size>', 'most size').argParser(bytes).default(2 ** 20, '1M'))
    .option('-f, --stepfactor <n>', 'from size to size', integer(2, 2 ** 31 - 1), 4)
    .addOption(new Option('-d, --datatype <type>', 'type of the elements').choices(datatypes).default('f32'))
    .option('--rounds <n>', 'times that the algorithms take turns', integer(1), 7)
    .option('-n, --iters <n>', 'calls of a turn', integer(1), 20)
    .option('-w, --warmups <n>', 'rounds before that do not count', integer(0), 1)
    .option('-G, --cudagraph <n>', 'record the calls of a turn into a graph, and launch it so often', integer(0), 0)
    .option('--margin <percent>', 'by how much faster replaces what is chosen', integer(0, 99), 5)
    .option('--out <file>', 'write the rules there, as JSON')
    .option('--json', 'print all times and the rules as JSON')
    .addHelpText('after', notes)
    .action(async (names: readonly string[], options: TuneCommandOptions) => {
      const { minbytes, maxbytes, out, json } = options;
      if (minbytes > maxbytes) throw new UsageError(`-b ${minbytes} is more than -e ${maxbytes}`);
      // Better now than after all has been measured.
      if (out !== undefined) await writable(out, async () => access(dirname(out), constants.W_OK));
      const { tune, collectiveOf } = await import('./tune.ts');
      const { rulesJson, tuneJson, tuneTables, tuneVerdict } = await import('./tune-report.ts');
      const report = await tune(names.length === 0 ? usual : [...new Set(names.map(collectiveOf))], options);
      const colors = colorsFor(process.stdout);
      const text = json === true ? tuneJson(report) : `${tuneTables(report, colors)}\n\n${tuneVerdict(report)}`;
      process.stdout.write(`${text}\n`);
      if (out !== undefined) await writable(out, async () => writeFile(out, rulesJson(report.rules)));
    });
}

async function writable(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new UsageError(`--out ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

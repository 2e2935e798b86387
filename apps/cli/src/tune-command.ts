import { access, constants, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { collectiveNames, tunedRules, type CollectiveName } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { dataTypeOfScalar, scalarKinds, type ScalarKind } from '@nccl-ts/core';
import { colorsFor } from './colors.ts';
import { measureAlgorithms, type MeasureListener } from './measure-algorithms.ts';
import { bytes, integer } from './options.ts';
import { showProgress } from './progress.ts';
import { tuneBackend, tuneBackendNames, type TuneBackendName } from './tune-backend.ts';
import { rulesJson, tuneJson, tuneTables, tuneVerdict, type TuneReport } from './tune-report.ts';
import { UsageError } from './usage-error.ts';

interface TuneOptions {
  readonly backend: TuneBackendName;
  readonly ranks?: number;
  readonly lsaSize?: number;
  readonly minbytes: number;
  readonly maxbytes: number;
  readonly stepfactor: number;
  readonly datatype: ScalarKind;
  readonly rounds: number;
  readonly iters: number;
  readonly warmups: number;
  readonly cudagraph: number;
  readonly margin: number;
  readonly out?: string;
  readonly json?: true;
}

const usual: readonly CollectiveName[] = ['allReduce', 'allGather', 'reduceScatter', 'broadcast'];
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
    .action(async (names: readonly string[], options: TuneOptions) => {
      const { minbytes, maxbytes, out, json } = options;
      if (minbytes > maxbytes) throw new UsageError(`-b ${minbytes} is more than -e ${maxbytes}`);
      // Better now than after all has been measured.
      if (out !== undefined) await writable(out, async () => access(dirname(out), constants.W_OK));
      const report = await tune(names.length === 0 ? usual : [...new Set(names.map(collectiveOf))], options);
      const colors = colorsFor(process.stdout);
      const text = json === true ? tuneJson(report) : `${tuneTables(report, colors)}\n\n${tuneVerdict(report)}`;
      process.stdout.write(`${text}\n`);
      if (out !== undefined) await writable(out, async () => writeFile(out, rulesJson(report.rules)));
    });
}

async function tune(collectives: readonly CollectiveName[], options: TuneOptions): Promise<TuneReport> {
  const { backend, datatype, rounds, iters, margin } = options;
  await using world = await World.open({ backend: tuneBackend(options) });
  const [comm] = await world.run((each) => each);
  const { nRanks } = world;
  if (comm === undefined || nRanks < 2)
    throw new UsageError('one rank has nothing to choose; there must be two or more');
  if (!comm.capabilities.scalars.includes(datatype)) {
    throw new UsageError(`-d ${datatype}: ${backend} does not have this type`);
  }
  const sizes = sizesOf(options);
  const leftOut: string[] = [];
  let what = 'measuring';
  using progress = showProgress(() => what, process.stderr);
  const listener: MeasureListener = {
    doing: (next) => (what = next),
    refused: (collective, algorithm, why) => leftOut.push(`note: ${collective} without ${algorithm}: ${why}\n`),
  };
  const measure = { ...options, collectives, sizes, element: datatype, graphLaunches: options.cudagraph };
  const measurements = await measureAlgorithms(world, measure, listener);
  progress.done();
  for (const line of leftOut) process.stderr.write(line);
  if (measurements.length === 0) throw new UsageError(`-e ${options.maxbytes}: that is no element for each rank`);
  const { lsaSize } = comm;
  const place = { backend: comm.capabilities.backend, nRanks };
  // Where there are several domains, the selection does not ask the rules.
  const rules = lsaSize < nRanks ? [] : tunedRules(place, measurements, { margin: margin / 100 });
  return { backend: place.backend, ranks: nRanks, lsaSize, datatype, rounds, iters, margin, measurements, rules };
}

function collectiveOf(name: string): CollectiveName {
  const found = collectiveNames.find((known) => known === name);
  if (found !== undefined) return found;
  throw new UsageError(`there is no collective ${name}; there is ${collectiveNames.join(', ')}`);
}

function sizesOf({ minbytes, maxbytes, stepfactor }: TuneOptions): readonly number[] {
  const sizes: number[] = [];
  for (let size = minbytes; size <= maxbytes; size *= stepfactor) sizes.push(size);
  return sizes;
}

async function writable(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new UsageError(`--out ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

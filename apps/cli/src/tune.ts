import { collectiveNames, tunedRules, type CollectiveName } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import { measureAlgorithms, type MeasureListener } from './measure-algorithms.ts';
import { printError } from './output/print.ts';
import { showProgress } from './progress.ts';
import type { BackendName } from './backend-names.ts';
import { tuneBackend } from './tune-backend.ts';
import type { TuneReport } from './tune-report.ts';
import { UsageError } from './usage-error.ts';

/** The subject and method of a measurement. */
export interface TuneOptions {
  readonly backend: BackendName;
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
}

/** Measures the collectives on a separate world. */
export async function tune(collectives: readonly CollectiveName[], options: TuneOptions): Promise<TuneReport> {
  const { backend, datatype, rounds, iters, margin } = options;
  await using world = await World.open({ backend: await tuneBackend(options) });
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
  for (const line of leftOut) printError(line);
  if (measurements.length === 0)
    throw new UsageError(`-e ${options.maxbytes}: that is less than one element for each rank`);
  const { lsaSize } = comm;
  const place = { backend: comm.capabilities.backend, nRanks };
  // Where there are several domains, the selection does not ask the rules.
  const rules = lsaSize < nRanks ? [] : tunedRules(place, measurements, { margin: margin / 100 });
  return { backend: place.backend, ranks: nRanks, lsaSize, datatype, rounds, iters, margin, measurements, rules };
}

/** @throws UsageError if there is none of that name. */
export function collectiveOf(name: string): CollectiveName {
  const found = collectiveNames.find((known) => known === name);
  if (found !== undefined) return found;
  throw new UsageError(`there is no collective ${name}; there is ${collectiveNames.join(', ')}`);
}

function sizesOf({ minbytes, maxbytes, stepfactor }: TuneOptions): readonly number[] {
  const sizes: number[] = [];
  for (let size = minbytes; size <= maxbytes; size *= stepfactor) sizes.push(size);
  return sizes;
}

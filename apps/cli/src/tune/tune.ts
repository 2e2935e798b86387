import { algorithmFacts, algorithmsOf, collectiveNames, tunedRules, type CollectiveName } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { isNcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { measureAlgorithms, refusals, type SizedMeasurement, type MeasureListener } from './measure-algorithms.ts';
import { printError } from '../output/print.ts';
import { machineNamed } from '../profile/machine-named.ts';
import { predictCollective } from '../predict/predict-collective.ts';
import { showProgress } from '../output/progress.ts';
import type { BackendName } from '../backend-names.ts';
import { tuneCount } from '../predict/tune-collective.ts';
import { tuneBackend } from './tune-backend.ts';
import type { TuneReport } from './tune-report.ts';
import { UsageError } from '../usage-error.ts';

const PREDICTED_RANKS = 2;

/** The subject and the method of a measurement. */
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
  /** The machine whose times are predicted. If absent, times are measured. */
  readonly predicted?: string;
}

/** Measures the collectives in a new world. */
export async function tune(collectives: readonly CollectiveName[], options: TuneOptions): Promise<TuneReport> {
  const { backend, datatype, rounds, iters, margin } = options;
  if (options.predicted !== undefined) return tunePredicted(collectives, options, options.predicted);
  await using world = await World.open({ backend: await tuneBackend(options) });
  const [comm] = await world.run((each) => each);
  const { nRanks } = world;
  if (comm === undefined || nRanks < 2)
    throw new UsageError('one rank has nothing to choose; there must be two or more');
  if (!comm.capabilities.scalars.includes(datatype)) {
    throw new UsageError(`-d ${datatype}: ${backend} does not support this type`);
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
  if (measurements.length === 0) throw new UsageError(`-e ${options.maxbytes}: that is less than one element per rank`);
  const { lsaSize } = comm;
  const place = { backend: comm.capabilities.backend, nRanks, nvlink: comm.nvlink };
  // With several domains, the selection does not use rules.
  const rules = lsaSize < nRanks ? [] : tunedRules(place, measurements, { margin: margin / 100 });
  return { backend: place.backend, ranks: nRanks, lsaSize, datatype, rounds, iters, margin, measurements, rules };
}

/**
 * Returns rules for GPUs from predicted times: one round, and each algorithm that supports the
 * call.
 */
async function tunePredicted(
  collectives: readonly CollectiveName[],
  options: TuneOptions,
  machine: string,
): Promise<TuneReport> {
  const { datatype: element, margin, ranks = PREDICTED_RANKS } = options;
  const costs = await machineNamed(machine);
  let what = 'predicting';
  using progress = showProgress(() => what, process.stderr);
  const measurements: SizedMeasurement[] = [];
  for (const collective of collectives) {
    const able = algorithmsOf[collective].filter((name) => !algorithmFacts[name].spansDomains);
    for (const size of sizesOf(options)) {
      const count = tuneCount(collective, size, scalarInfo[element].bytes, ranks);
      if (count === 0) continue;
      for (const algorithm of able) {
        what = `predicting ${collective} by ${algorithm}, ${size} bytes`;
        const call = { collective, bytes: size, element, ranks, algorithm };
        try {
          const { nanoseconds } = await predictCollective(call, { machine: costs, bounds: false });
          const bytes = count * scalarInfo[element].bytes;
          measurements.push({ collective, algorithm, size, bytes, times: [nanoseconds / 1000] });
        } catch (error) {
          if (!isNcclError(error) || !refusals.has(error.code)) throw error;
        }
      }
    }
  }
  progress.done();
  if (measurements.length === 0) throw new UsageError(`-e ${options.maxbytes}: that is less than one element per rank`);
  const rules = tunedRules({ backend: 'cuda', nRanks: ranks, nvlink: true }, measurements, { margin: margin / 100 });
  const report = { ranks, lsaSize: ranks, datatype: element, rounds: 1, iters: 1, margin, measurements, rules };
  return { backend: `${machine}, predicted`, ...report };
}

/** @throws UsageError if there is no collective of that name. */
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

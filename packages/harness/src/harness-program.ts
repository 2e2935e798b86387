import { expectInteger } from '@nccl-ts/core';
import { World, type Communicator } from '@nccl-ts/communicator';
import type { Backend } from '@nccl-ts/transport';
import { describeRanks, type RankDescription } from './describe-ranks.ts';
import { MOST_STREAMS, type Harness } from './harness.ts';
import { KernelsOfRanks } from './kernels-of-ranks.ts';
import type { ComparedElements } from './memory/expectation.ts';
import { parameterBytes } from './parameter-bytes.ts';
import { runRank, type HarnessRun } from './run-rank.ts';
import type { MadeCopies } from './steps/device-copy.ts';
import { launchesNothing } from './translate.ts';
import type { TranslatedEntry, TranslatedKernels } from './translated-entry.ts';

/**
 * The program of each rank of a world for a harness. It resolves to the lines that its kernels
 * printed.
 */
export type RankProgram = (comm: Communicator) => Promise<readonly string[]>;

/**
 * Makes the program of each rank. It allocates, launches, and compares results. For each number of
 * ranks, the setups are called once, when the first rank runs. `onCompared` is called after each
 * comparison of elements that had the expected values, and never if the harness expects nothing.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`, from the program, if setups do not agree or arguments
 * do not fit the entry.
 */
export function harnessOnRank(
  harness: Harness,
  translated: TranslatedEntry | TranslatedKernels,
  onCompared?: (elements: ComparedElements) => void,
): RankProgram {
  const kernels = new KernelsOfRanks(harness, translated);
  const copies: MadeCopies = new Map();
  const described = new Map<number, HarnessRun>();
  return async (comm) => {
    let run = described.get(comm.nRanks);
    if (run === undefined) {
      const ranks = describeRanks(harness, comm.nRanks);
      const streams = checkLaunches(ranks, harness, kernels);
      run = { harness, kernels, ranks, copies, streams, ...(onCompared === undefined ? {} : { onCompared }) };
      described.set(comm.nRanks, run);
    }
    return runRank(comm, run);
  };
}

/**
 * Makes a program for `check`, `explore` and similar functions. It opens a world on the backend,
 * runs the harness on all its ranks, and closes the world. The backend decides the number of ranks.
 * `onCompared` is called after each comparison of `expect` that found no difference.
 *
 * @example
 * const options = { ranks: 2, local: harness.local };
 * const report = await check(options, harnessProgram(harness, translated));
 */
export function harnessProgram(
  harness: Harness,
  translated: TranslatedEntry | TranslatedKernels,
  onCompared?: (elements: ComparedElements) => void,
): (backend: Backend) => Promise<void> {
  const onRank = harnessOnRank(harness, translated, onCompared);
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(onRank);
  };
}

/**
 * Runs before any memory is allocated, so that mismatches are reported immediately. Returns the
 * number of streams that the steps of one launch use.
 */
function checkLaunches(ranks: readonly RankDescription[], harness: Harness, kernels: KernelsOfRanks): number {
  let launches = 0;
  let streams = 1;
  for (const { rank, stepsOf } of ranks) {
    for (let launch = 0; launch < harness.launches; launch++) {
      for (const step of stepsOf(launch)) {
        if ('stream' in step && step.stream !== undefined) streams = Math.max(streams, step.stream + 1);
        if (step.kind !== 'launch') continue;
        launches++;
        const { entry, name } = kernels.at(step.kernel, rank, ranks.length);
        const what = harness.kernels === undefined ? `rank ${rank}` : `rank ${rank}: ${name}`;
        parameterBytes(entry.params, step.args, what);
      }
    }
  }
  if (launches === 0) throw launchesNothing(ranks.length);
  expectInteger('harness: streams of all launches', streams * harness.streams, 1, MOST_STREAMS);
  return streams;
}

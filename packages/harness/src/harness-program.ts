import { World, type Communicator } from '@nccl-ts/communicator';
import type { Backend } from '@nccl-ts/transport';
import { describeRanks, type RankDescription } from './describe-ranks.ts';
import type { Harness } from './harness.ts';
import { parameterBytes } from './parameter-bytes.ts';
import { argumentsOf, runRank } from './run-rank.ts';
import type { TranslatedEntry } from './translated-entry.ts';

/**
 * The program of each rank of a world for a harness. It resolves to the lines that its kernels
 * printed.
 */
export type RankProgram = (comm: Communicator) => Promise<readonly string[]>;

/**
 * Makes the program of each rank. It allocates, launches, and compares results. For each number of
 * ranks, the setups are called once, when the first rank runs.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`, from the program, if setups do not agree or arguments
 * do not fit the entry.
 */
export function harnessOnRank(harness: Harness, translated: TranslatedEntry): RankProgram {
  const described = new Map<number, readonly RankDescription[]>();
  return async (comm) => {
    let ranks = described.get(comm.nRanks);
    if (ranks === undefined) {
      ranks = describeRanks(harness, comm.nRanks);
      checkArguments(ranks, harness, translated);
      described.set(comm.nRanks, ranks);
    }
    return runRank(comm, { harness, translated, ranks });
  };
}

/**
 * Makes a program for `check`, `explore` and similar functions. It opens a world on the backend,
 * runs the harness on all its ranks, and closes the world. The backend decides the number of ranks.
 *
 * @example
 * const options = { ranks: 2, local: harness.local };
 * const report = await check(options, harnessProgram(harness, translated));
 */
export function harnessProgram(harness: Harness, translated: TranslatedEntry): (backend: Backend) => Promise<void> {
  const onRank = harnessOnRank(harness, translated);
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(onRank);
  };
}

/** Runs before any memory is allocated, so that mismatches are reported immediately. */
function checkArguments(ranks: readonly RankDescription[], { launches }: Harness, { entry }: TranslatedEntry): void {
  for (const rank of ranks) {
    for (let launch = 0; launch < launches; launch++) {
      parameterBytes(entry.params, argumentsOf(rank, launch), `rank ${rank.rank}`);
    }
  }
}

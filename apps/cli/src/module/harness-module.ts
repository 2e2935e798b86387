import { resolve } from 'node:path';
import {
  harnessOnRank,
  ranksToCheck,
  translate,
  type Harness,
  type RankProgram,
  type Translated,
} from '@nccl-ts/harness';
import type { UserModule } from './user-module.ts';
import { printError } from '../output/print.ts';
import { readPtx } from './read-ptx.ts';

/**
 * Makes a module whose host program is a harness. `path` is the name on the command line.
 * `kernelFile` is compiled if it is CUDA C++. Warnings of the translation go to stderr. The kernel
 * is translated for each number of ranks, because arguments may depend on it. `rankCounts` are
 * those of the command line.
 *
 * @throws UsageError if the file cannot be compiled; NcclError `NCCLTS_COMPILE` if the PTX cannot
 *   be translated.
 */
export async function harnessModule(
  path: string,
  harness: Harness,
  kernelFile: string,
  compilerFlags: readonly string[],
  rankCounts: readonly number[] = ranksToCheck(harness),
): Promise<UserModule> {
  const { name, text, source } = await readPtx(kernelFile, compilerFlags);
  const forRanks = (ranks: number): Translated => translate(harness, text, { name, source, ranks });
  const { ranks, translated } = firstPossible(rankCounts, forRanks);
  for (const warning of translated.warnings) printError(`${warning}\n`);
  const programs = new Map<number, RankProgram>([[ranks, harnessOnRank(harness, translated)]]);
  const programFor = (nRanks: number): RankProgram => {
    const known = programs.get(nRanks) ?? harnessOnRank(harness, forRanks(nRanks));
    programs.set(nRanks, known);
    return known;
  };
  const { kernel } = translated;
  return {
    path,
    file: resolve(path),
    kernels: new Map([[kernel.name, kernel]]),
    host: async (comm) => {
      const printed = await programFor(comm.nRanks)(comm);
      return printed.length === 0 ? undefined : printed;
    },
    harness: {
      name: kernel.name,
      rankCounts: ranksToCheck(harness),
      fixesRanks: harness.ranks !== undefined,
      local: harness.local,
      shape: { grid: sizeOf(harness.grid), block: sizeOf(harness.block) },
      source,
    },
  };
}

/** Translates for the first of the numbers with which that is possible. */
function firstPossible(
  counts: readonly number[],
  forRanks: (ranks: number) => Translated,
): { readonly ranks: number; readonly translated: Translated } {
  const [ranks = 1, ...others] = counts;
  try {
    return { ranks, translated: forRanks(ranks) };
  } catch (error) {
    for (const other of others) {
      try {
        return { ranks: other, translated: forRanks(other) };
      } catch {
        // The first error is reported.
      }
    }
    throw error;
  }
}

function sizeOf(extent: Harness['grid']): number {
  if (typeof extent === 'number') return extent;
  const { x, y = 1, z = 1 } = extent;
  return x * y * z;
}

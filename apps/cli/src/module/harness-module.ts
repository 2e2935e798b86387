import { resolve } from 'node:path';
import {
  harnessOnRank,
  ranksToCheck,
  translate,
  type ComparedElements,
  type Harness,
  type HarnessKernel,
  type RankProgram,
  type Translated,
} from '@nccl-ts/harness';
import type { Kernel } from '@nccl-ts/kernel';
import type { HostProgram } from '@nccl-ts/checker';
import type { UserModule } from './user-module.ts';
import { printError } from '../output/print.ts';
import { ReadKernels, type HarnessPlace } from './read-kernels.ts';

/**
 * Makes a module whose host program is a harness. Files of CUDA C++ are compiled, each once.
 * Warnings of the translation go to stderr. The kernels are translated for each number of ranks,
 * because arguments and files may depend on it. `rankCounts` are those of the command line.
 *
 * @throws UsageError if a kernel has no file, or a file cannot be compiled; NcclError
 *   `NCCLTS_COMPILE` if the PTX cannot be translated.
 */
export async function harnessModule(
  place: HarnessPlace,
  described: Harness,
  compilerFlags: readonly string[],
  rankCounts: readonly number[] = ranksToCheck(described),
): Promise<UserModule> {
  const { path, kernelFile } = place;
  const harness = kernelFile === undefined ? described : { ...described, kernel: kernelFile };
  const kernelTexts = new ReadKernels(place, compilerFlags);
  const source = (file: string): string | undefined => kernelTexts.source(file);
  const translated = async (launched: Harness, ranks: number): Promise<Translated> => {
    await kernelTexts.read(harness, ranks);
    return translate(launched, (file) => kernelTexts.textOf(file), { name: path, source, ranks });
  };
  const first = await firstPossible(rankCounts, async (ranks) => translated(harness, ranks));
  for (const warning of first.translated.warnings) printError(`${warning}\n`);
  const hostOf = (launched: Harness, onCompared?: (elements: ComparedElements) => void): HostProgram => {
    const programs = new Map<number, Promise<RankProgram>>();
    return async (comm) => {
      const { nRanks } = comm;
      const isMade = launched === harness && nRanks === first.ranks;
      const making = async (): Promise<RankProgram> =>
        harnessOnRank(launched, isMade ? first.translated : await translated(launched, nRanks), onCompared);
      const program = programs.get(nRanks) ?? making();
      programs.set(nRanks, program);
      const printed = await (await program)(comm);
      return printed.length === 0 ? undefined : printed;
    };
  };
  const kernels = new Map<string, Kernel>();
  for (const { kernel } of first.translated.kernels) if (!kernels.has(kernel.name)) kernels.set(kernel.name, kernel);
  return {
    path,
    file: resolve(path),
    kernels,
    host: hostOf(harness),
    harness: {
      name: nameOf(harness, first.translated),
      rankCounts: ranksToCheck(harness),
      fixesRanks: harness.ranks !== undefined,
      local: harness.local,
      shape: largestShape(harness),
      unchecked: hostOf(withoutResults(harness)),
      comparing: (onCompared) => hostOf(harness, onCompared),
      launched: (launches, streams) => hostOf({ ...harness, launches, streams }),
      source,
    },
  };
}

/** The harness without the results that it expects. */
function withoutResults(harness: Harness): Harness {
  if (harness.kernels === undefined) {
    const { setup } = harness;
    return {
      ...harness,
      setup: (rank) => {
        const { expect: _, ...launches } = setup(rank);
        return launches;
      },
    };
  }
  const { setup } = harness;
  return {
    ...harness,
    setup: (rank: Parameters<typeof setup>[0]) => {
      const { expect: _, ...steps } = setup(rank);
      return steps;
    },
  };
}

/** The kernels' names in the harness, or that of its only kernel. */
function nameOf({ kernels: several }: Harness, { kernel, kernels }: Translated): string {
  return several === undefined ? kernel.name : [...new Set(kernels.map(({ name }) => name))].join(', ');
}

/** The shape with the most threads, of the kernels' own. Findings have that of each launch. */
function largestShape(harness: Harness): { readonly grid: number; readonly block: number } {
  const kernels = harness.kernels === undefined ? [harness] : Object.values(harness.kernels);
  const shapes = kernels.map(({ grid, block }) => ({ grid: sizeOf(grid), block: sizeOf(block) }));
  const [largest = { grid: 1, block: 1 }] = shapes.toSorted((a, b) => b.grid * b.block - a.grid * a.block);
  return largest;
}

function sizeOf(extent: HarnessKernel['grid']): number {
  const { x, y = 1, z = 1 } = typeof extent === 'number' ? { x: extent } : extent;
  return x * y * z;
}

/** Translates for the first of the numbers with which that is possible. */
async function firstPossible(
  counts: readonly number[],
  forRanks: (ranks: number) => Promise<Translated>,
): Promise<{ readonly ranks: number; readonly translated: Translated }> {
  const [ranks = 1, ...others] = counts;
  try {
    return { ranks, translated: await forRanks(ranks) };
  } catch (error) {
    for (const other of others) {
      try {
        return { ranks: other, translated: await forRanks(other) };
      } catch {
        // The first error is reported.
      }
    }
    throw error;
  }
}

import { resolve } from 'node:path';
import { harnessOnRank, translate, type Harness } from '@nccl-ts/harness';
import type { UserModule } from './user-module.ts';
import { printError } from '../output/print.ts';
import { readPtx } from './read-ptx.ts';

/**
 * Makes a module whose host program is a harness. `path` is the name on the command line.
 * `kernelFile` is compiled if it is CUDA C++. Warnings of the translation go to stderr.
 *
 * @throws UsageError if the file cannot be compiled; NcclError `NCCLTS_COMPILE` if the PTX cannot
 *   be translated.
 */
export async function harnessModule(
  path: string,
  harness: Harness,
  kernelFile: string,
  compilerFlags: readonly string[],
): Promise<UserModule> {
  const { name, text, source } = await readPtx(kernelFile, compilerFlags);
  const translated = translate(harness, text, { name, source });
  for (const warning of translated.warnings) printError(`${warning}\n`);
  const onRank = harnessOnRank(harness, translated);
  const { kernel } = translated;
  return {
    path,
    file: resolve(path),
    kernels: new Map([[kernel.name, kernel]]),
    host: async (comm) => {
      const printed = await onRank(comm);
      return printed.length === 0 ? undefined : printed;
    },
    harness: {
      name: kernel.name,
      shape: { ranks: harness.ranks, grid: sizeOf(harness.grid), block: sizeOf(harness.block) },
      source,
    },
  };
}

function sizeOf(extent: Harness['grid']): number {
  if (typeof extent === 'number') return extent;
  const { x, y = 1, z = 1 } = extent;
  return x * y * z;
}

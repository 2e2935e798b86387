import { kernelFiles, ranksToCheck, type Harness } from '@nccl-ts/harness';
import { resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { loadHarness } from './load-module.ts';
import { readPtx, type PtxText } from './read-ptx.ts';

/** A harness of one kernel, and the text of that kernel. */
export interface LoadedKernel {
  readonly harness: Harness;
  /** The file of the kernel, as an absolute path. */
  readonly path: string;
  readonly ptx: PtxText;
}

/**
 * Loads a harness whose kernels are in one file, and the PTX of that file.
 *
 * @throws UsageError if there are several files, or the file cannot be read or compiled.
 */
export async function loadKernel(
  file: string,
  harnessFile: string | undefined,
  compilerFlags: readonly string[],
): Promise<LoadedKernel> {
  const { harness, folder } = await loadHarness(file, harnessFile);
  const files = new Set(kernelFiles(harness, ranksToCheck(harness)[0]));
  const [kernelFile] = files;
  if (kernelFile === undefined || files.size > 1)
    throw new UsageError(`${file} must name one file with its kernel, the same for all ranks`);
  const path = resolve(folder, kernelFile);
  return { harness, path, ptx: await readPtx(path, compilerFlags, { standIn: harness.standIn }) };
}

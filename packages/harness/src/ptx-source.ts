import { showValue } from '@nccl-ts/core';
import { kernelsOf, type Harness } from './harness.ts';
import { atRank, type HarnessKernel, type RankOf } from './harness-kernel.ts';
import { invalid } from './memory/memory-type.ts';

/** PTX text, with the facts that its reader needs. */
export interface PtxSource {
  /** The name of the file, for messages. */
  readonly name: string;
  readonly text: string;
}

/**
 * PTX text for all kernels that bring none of their own, or a function that returns the text of a
 * file. The file is `undefined` for a kernel that names none.
 */
export type KernelTexts = string | ((file: string | undefined) => PtxSource);

/**
 * Returns the files that a harness names for a number of ranks, each once. `undefined` is among
 * them if a kernel names none.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if a function of the rank returns something else than a
 *   text. Errors of such a function.
 */
export function kernelFiles(harness: Harness, nRanks: number): readonly (string | undefined)[] {
  const files = new Set<string | undefined>();
  for (const [name, kernel] of kernelsOf(harness)) {
    if (kernel.ptx !== undefined) continue;
    if (typeof kernel.kernel !== 'function') files.add(kernel.kernel);
    for (let rank = 0; typeof kernel.kernel === 'function' && rank < nRanks; rank++) {
      const file = textAt(kernel, 'kernel', name, { rank, nRanks });
      if (file !== undefined) files.add(file);
    }
  }
  return [...files];
}

/**
 * The text of a kernel at a rank.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the rank has none.
 */
export function textOf(
  name: string,
  kernel: HarnessKernel,
  place: RankOf,
  texts: KernelTexts,
  nameOfAll: string,
): PtxSource {
  const field = kernel.ptx === undefined ? 'kernel' : 'ptx';
  const given = kernel[field];
  const own = textAt(kernel, field, name, place);
  if (own === undefined && given !== undefined) {
    throw invalid(
      `cannot launch kernel ${name} on rank ${place.rank} of ${place.nRanks} because its ${field} has no text for that rank; return one, or launch it on other ranks only.`,
    );
  }
  if (field === 'ptx' && own !== undefined) {
    const suffix = typeof given === 'function' ? ` of rank ${place.rank}` : '';
    return { name: `ptx of ${name}${suffix}`, text: own };
  }
  return typeof texts === 'string' ? { name: nameOfAll, text: texts } : texts(own);
}

function textAt(kernel: HarnessKernel, field: 'kernel' | 'ptx', name: string, place: RankOf): string | undefined {
  const text: unknown = atRank(kernel[field], place);
  if (text === undefined || typeof text === 'string') return text;
  throw invalid(
    `harness: ${field} of kernel ${name} must return a text for rank ${place.rank}, or undefined; given ${showValue(text)}.`,
  );
}

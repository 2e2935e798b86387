import { kernelsOf, type Harness } from './harness.ts';
import { invalid } from './memory/memory-type.ts';
import type { TranslatedEntry, TranslatedKernel, TranslatedKernels } from './translated-entry.ts';

/** The translated kernels of a harness, by rank. */
export class KernelsOfRanks {
  readonly all: readonly TranslatedKernel[];
  /** Reads the files that findings name. */
  readonly source: ((path: string) => string | undefined) | undefined;
  /** `undefined` if the kernels are for any number of ranks. */
  readonly #nRanks: number | undefined;

  constructor(harness: Harness, translated: TranslatedEntry | TranslatedKernels) {
    if ('kernels' in translated) {
      this.all = translated.kernels;
      this.source = translated.source;
      this.#nRanks = translated.nRanks;
      return;
    }
    const [name = ''] = kernelsOf(harness).keys();
    this.all = [{ ...translated, name, ranks: [], module: 0 }];
  }

  /**
   * The kernel of that name at a rank.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if it was translated for another number of ranks, and
   *   differs between ranks.
   */
  at(name: string, rank: number, nRanks: number): TranslatedKernel {
    const variants = this.all.filter((one) => one.name === name);
    const [only, ...others] = variants;
    const isAny = this.#nRanks !== nRanks && others.length === 0;
    const found = isAny ? only : variants.find(({ ranks }) => ranks.includes(rank));
    if (found !== undefined && (isAny || this.#nRanks === nRanks)) return found;
    throw invalid(
      `cannot launch kernel ${name} on rank ${rank} because it was translated for ${this.#nRanks ?? 'other'} ranks, and there are ${nRanks}; call translate with ranks: ${nRanks}.`,
    );
  }
}

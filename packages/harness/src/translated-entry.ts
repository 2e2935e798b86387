import type { ImportedKernel, PtxFunction } from '@nccl-ts/ptx';

/** An entry of a PTX text, and the kernel made from it. */
export interface TranslatedEntry extends Pick<ImportedKernel, 'kernel' | 'params'> {
  readonly entry: Pick<PtxFunction, 'name' | 'params'>;
  /**
   * True if it has `griddepcontrol`, for programmatic dependent launches.
   *
   * @default false
   */
  readonly controlsDependents?: boolean;
}

/** A kernel of a harness, for the ranks that launch it from one text. */
export interface TranslatedKernel extends TranslatedEntry {
  /** The name in the harness. */
  readonly name: string;
  readonly ranks: readonly number[];
  /** The number of the text. Kernels of one text share its `.global` variables. */
  readonly module: number;
}

/** The kernels of a harness, for one number of ranks. */
export interface TranslatedKernels {
  readonly kernels: readonly TranslatedKernel[];
  /** The number of ranks for which they were made. */
  readonly nRanks: number;
  /** Reads the files that findings name. */
  readonly source?: (path: string) => string | undefined;
}

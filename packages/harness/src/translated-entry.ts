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

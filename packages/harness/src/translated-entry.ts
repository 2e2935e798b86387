import type { ImportedKernel, PtxFunction } from '@nccl-ts/ptx';

/** An entry of a PTX text, and the kernel made from it. */
export interface TranslatedEntry extends Pick<ImportedKernel, 'kernel' | 'params'> {
  readonly entry: Pick<PtxFunction, 'name' | 'params'>;
}

import type { Source } from '@nccl-ts/ir';

/** What messages need of a kernel: its name, and the texts it was captured from. */
export interface KernelText {
  readonly name: string;
  readonly sources: readonly Source[];
}

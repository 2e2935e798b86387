import type { Source } from '@nccl-ts/ir';

/** The parts of a kernel that messages need: its name, and the texts from which it was captured. */
export interface KernelText {
  readonly name: string;
  readonly sources: readonly Source[];
}

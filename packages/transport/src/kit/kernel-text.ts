import type { Source } from '@nccl-ts/ir';

/** The part of a kernel that messages need: its name, and the texts it was captured from. */
export interface KernelText {
  readonly name: string;
  readonly sources: readonly Source[];
}

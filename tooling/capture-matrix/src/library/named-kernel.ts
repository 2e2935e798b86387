import type { Kernel } from '@nccl-ts/kernel';

/** A kernel with a name that no build tool changes. */
export interface NamedKernel {
  readonly id: string;
  readonly kernel: Kernel;
  /** True if it represents other kernels with the same texts. */
  readonly common: boolean;
}

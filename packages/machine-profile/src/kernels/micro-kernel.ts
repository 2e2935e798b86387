import type { DevCommArg, WindowArg } from '@nccl-ts/devcomm';
import type { Kernel } from '@nccl-ts/kernel';

/** A kernel of the micro-benchmarks: a communicator, a buffer of every rank, and numbers. */
export type MicroKernel<Numbers extends string> = Kernel<
  { readonly comm: DevCommArg; readonly win: WindowArg } & Readonly<Record<Numbers, number>>
>;

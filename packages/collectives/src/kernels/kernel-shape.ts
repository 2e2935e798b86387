import type { ScalarKind } from '@nccl-ts/core';
import type { ScalarParam } from '@nccl-ts/kernel';
import type { ElementReduction } from './element-reductions.ts';
import type { Reduction } from './reductions.ts';

/** A scalar of the kernel language, whatever the host passes for it. */
export type ElementParam = ScalarParam<ScalarKind, unknown>;

/** What a kernel is made for beside its types: constants that make it faster on some backends. */
export interface Pace {
  /** Ranks of the load-store domain; 0: any number. */
  readonly ranks: number;
  /** How many times 16 bytes a thread has under way of each source. */
  readonly packs: number;
}

/** What the kernels of a collective are made for. */
export interface KernelShape {
  /** The type of the elements. Copies keep every bit, so for them it stands for all types of its size. */
  readonly T: ElementParam;
  /** The type that T is reduced in, and of the scalars of scaled sums. */
  readonly A: ElementParam;
  /** The type of `count`: it holds every index that the kernel counts to. */
  readonly count: ScalarParam<'u32'> | ScalarParam<'u64', number | bigint>;
  readonly pace: Pace;
  /** Every rank's elements are multiplied by a scalar of its own. */
  readonly scaled: boolean;
  /** How all ranks of the load-store domain are reduced at once. */
  readonly reduction: Reduction;
  /** How some of them are: without what is done to the result alone. */
  readonly partial: Reduction;
  /** How what is `partial` is reduced with the last of them. */
  readonly finish: Reduction;
  /** How what is `partial` is reduced to the result: without what is done to every rank's elements. */
  readonly across: Reduction;
  /** How single values are. */
  readonly element: ElementReduction;
  /** Bytes of a ring's part: those of a slot of the FIFO. */
  readonly slotBytes: number;
  /** Bytes of a rank's part of a CTA's chunk, where ranks store what others are to reduce. */
  readonly partBytes: number;
  /** Bytes of a chunk in the scratch, on its way between load-store domains. */
  readonly chunkBytes: number;
}

import type { ScalarKind } from '@nccl-ts/core';
import type { ScalarParam } from '@nccl-ts/kernel';
import type { ElementReduction } from './element-reductions.ts';
import type { ReduceFn } from './reductions.ts';

/** A scalar type of the kernel language, whatever its type on the host. */
export type ElementParam = ScalarParam<ScalarKind, unknown>;

/** The constants of a kernel, besides its types, that make it faster on some backends. */
export interface Pace {
  /** The number of ranks of the load-store domain; 0 if any. */
  readonly ranks: number;
  /** The number of 16-byte accesses that a thread has in flight for each source. */
  readonly packs: number;
}

/** The constants and types of a collective's kernels. */
export interface KernelShape {
  /** The element type. Copies keep every bit, so one type serves for all types of the same size. */
  readonly T: ElementParam;
  /** The type in which T is reduced, which is also that of the scalars of scaled sums. */
  readonly A: ElementParam;
  /** The type of `count` and of every index in the kernel. */
  readonly count: ScalarParam<'u32'> | ScalarParam<'u64', number | bigint>;
  readonly pace: Pace;
  /** True if every rank's elements are multiplied by that rank's scalar. */
  readonly scaled: boolean;
  /** Reduces all ranks of the load-store domain at once. */
  readonly reduction: ReduceFn;
  /** Reduces some of the ranks, without the final operation on the result. */
  readonly partial: ReduceFn;
  /** Reduces a `partial` result with the remaining ranks. */
  readonly finish: ReduceFn;
  /** Reduces `partial` results to the final one, without the operation on each rank's elements. */
  readonly across: ReduceFn;
  /** Reduces single values. */
  readonly element: ElementReduction;
  /** The bytes of a ring's part, which is a slot of the FIFO. */
  readonly slotBytes: number;
  /** The bytes of a rank's part of a CTA's chunk, in the scratch memory of `chunked`. */
  readonly partBytes: number;
  /** The number of blocks from each peer that a CTA has room for in a turn of `ll128`. */
  readonly blockRoom: number;
  /** True if lines of 128 bytes arrive whole. */
  readonly wholeLines: boolean;
  /** The number of 16-byte words from each peer that a CTA has room for in a turn of `sentinel`. */
  readonly wordRoom: number;
  /** The bytes of a chunk that is in flight between load-store domains. */
  readonly chunkBytes: number;
}

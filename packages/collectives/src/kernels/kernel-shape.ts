import type { ScalarKind } from '@nccl-ts/core';
import type { ScalarParam } from '@nccl-ts/kernel';
import type { ElementReduction } from './element-reductions.ts';
import type { Reduction } from './reductions.ts';

/** A scalar of the kernel language, whatever its type on the host. */
export type ElementParam = ScalarParam<ScalarKind, unknown>;

/** The constants of a kernel besides its types, which make it faster on some backends. */
export interface Pace {
  /** Ranks of the load-store domain; 0: any number. */
  readonly ranks: number;
  /** The number of 16-byte accesses that a thread has in flight for each source. */
  readonly packs: number;
}

/** The constants and types of a collective's kernels. */
export interface KernelShape {
  /** The element type. Copies keep every bit, so one type serves all types of its size. */
  readonly T: ElementParam;
  /** The type that T is reduced in, and of the scalars of scaled sums. */
  readonly A: ElementParam;
  /** The type of `count`, which holds every index of the kernel. */
  readonly count: ScalarParam<'u32'> | ScalarParam<'u64', number | bigint>;
  readonly pace: Pace;
  /** True if every rank's elements are multiplied by that rank's scalar. */
  readonly scaled: boolean;
  /** Reduces all ranks of the load-store domain at once. */
  readonly reduction: Reduction;
  /** Reduces some of them, without the final operation on the result. */
  readonly partial: Reduction;
  /** Reduces a `partial` result with the last of them. */
  readonly finish: Reduction;
  /** Reduces `partial` results to the final one, without the operation on every rank's elements. */
  readonly across: Reduction;
  /** Reduces single values. */
  readonly element: ElementReduction;
  /** Bytes of a ring's part: those of a slot of the FIFO. */
  readonly slotBytes: number;
  /** Bytes of a rank's part of a CTA's chunk, in the scratch of `chunked`. */
  readonly partBytes: number;
  /** Words of 16 bytes that a CTA has room for from each peer, in a turn of `sentinel`. */
  readonly wordRoom: number;
  /** Bytes of a chunk in the scratch, in flight between load-store domains. */
  readonly chunkBytes: number;
}

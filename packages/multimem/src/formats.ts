import type { ScalarKind } from '@nccl-ts/core';

/** What copies are combined by. `and`, `or` and `xor` work on bits. */
export type MultimemOp = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';

export const multimemOps: readonly MultimemOp[] = Object.freeze(['add', 'min', 'max', 'and', 'or', 'xor']);

/** What PTX's `multimem` instructions do with one type of elements. */
export interface MultimemFormat {
  /** Elements of one access; 1 is the type itself, others are vectors of it. */
  readonly widths: readonly number[];
  /** What `loadReduce` combines by. */
  readonly loadReduce: readonly MultimemOp[];
  /** What `reduce` combines by. */
  readonly reduce: readonly MultimemOp[];
  /** What `loadReduce` combines in, before it rounds once. */
  readonly accumulator: ScalarKind;
}

const all = multimemOps;
const add: readonly MultimemOp[] = Object.freeze(['add']);
const ordered: readonly MultimemOp[] = Object.freeze(['add', 'min', 'max']);
const none: readonly MultimemOp[] = Object.freeze([]);

/**
 * The types there are, from the tables of the PTX ISA 8.8 (`multimem.ld_reduce`, `multimem.st`,
 * `multimem.red`): accesses of 4, 8 or 16 bytes, vectors for floats alone. Sums of i64 are sums of
 * u64, which have the same bits. The 8-bit floats need `sm_100a`, the others `sm_90`.
 */
export const multimemFormats: Readonly<Partial<Record<ScalarKind, MultimemFormat>>> = Object.freeze({
  i32: format([1], all, all, 'i32'),
  u32: format([1], all, all, 'u32'),
  i64: format([1], all, all, 'i64'),
  u64: format([1], all, all, 'u64'),
  f32: format([1, 2, 4], add, add, 'f32'),
  f64: format([1], add, add, 'f64'),
  f16: format([2, 4, 8], ordered, add, 'f32'),
  bf16: format([2, 4, 8], ordered, add, 'f32'),
  e4m3: format([4, 8, 16], ordered, none, 'f16'),
  e5m2: format([4, 8, 16], ordered, none, 'f16'),
});

function format(
  widths: readonly number[],
  loadReduce: readonly MultimemOp[],
  reduce: readonly MultimemOp[],
  accumulator: ScalarKind,
): MultimemFormat {
  return Object.freeze({ widths: Object.freeze(widths), loadReduce, reduce, accumulator });
}

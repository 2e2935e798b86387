import type { ScalarKind } from '@nccl-ts/core';

/** The operation that combines copies. `and`, `or` and `xor` are bitwise. */
export type MultimemOp = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';

export const multimemOps: readonly MultimemOp[] = Object.freeze(['add', 'min', 'max', 'and', 'or', 'xor']);

/** The operations and sizes that PTX's `multimem` instructions support for one element type. */
export interface MultimemFormat {
  /** The numbers of elements of one access. 1 is the type itself, and others are vectors of it. */
  readonly widths: readonly number[];
  /** The operations of `loadReduce`. */
  readonly loadReduce: readonly MultimemOp[];
  /** The operations of `reduce`. */
  readonly reduce: readonly MultimemOp[];
  /** The type in which `loadReduce` combines, before it rounds once. */
  readonly accumulator: ScalarKind;
}

const all = multimemOps;
const add: readonly MultimemOp[] = Object.freeze(['add']);
const ordered: readonly MultimemOp[] = Object.freeze(['add', 'min', 'max']);
const none: readonly MultimemOp[] = Object.freeze([]);

/**
 * The supported types, from the tables of the PTX ISA 8.8 (`multimem.ld_reduce`, `multimem.st`,
 * `multimem.red`): accesses have 4, 8 or 16 bytes, and only floats have vectors. Sums of i64 are
 * sums of u64, which have the same bits. The 8-bit floats need `sm_100a`, and the others need
 * `sm_90`.
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

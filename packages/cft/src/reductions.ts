import type { ScalarKind } from '@nccl-ts/core';

/**
 * The operation by which a reduction combines two elements. `and`, `or` and `xor` are bitwise.
 *
 * @see ncclCftOpSum
 */
export type CftOp = 'sum' | 'min' | 'max' | 'and' | 'or' | 'xor';

export const cftOps: readonly CftOp[] = Object.freeze(['sum', 'min', 'max', 'and', 'or', 'xor']);

/** The types of the elements that reductions of the fabric combine. */
export type CftElement = Extract<ScalarKind, 'u32' | 'i32' | 'u64' | 'i64'>;

export const cftElements: readonly CftElement[] = Object.freeze(['u32', 'i32', 'u64', 'i64']);

import { NcclError, RedOp, showValue, type ScalarKind } from '@nccl-ts/core';

/**
 * A sum of values that are multiplied by `scalar` first.
 *
 * @see ncclRedOpCreatePreMulSum
 */
export interface PreMulSum {
  readonly kind: 'preMulSum';
  readonly scalar: number | bigint;
}

/** What reductions take: one of NCCL's operators, or a scaled sum. */
export type ReduceOp = RedOp | PreMulSum;

/** The operators as kernels know them. */
export type ReductionName = 'sum' | 'prod' | 'max' | 'min' | 'avg' | 'preMulSum';

/**
 * The operator that sums `scalar * value` over the ranks; the product is made in the type that the sum is kept in (f32 for f16
 * and bf16, f16 for FP8, otherwise that of the elements). A plain value: there is nothing to destroy. Each rank's
 * scalar is for its own values: ranks may differ.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where `scalar` is neither a number nor a bigint.
 * @see ncclRedOpCreatePreMulSum
 */
export function redOpCreatePreMulSum(scalar: number | bigint): PreMulSum {
  if (typeof scalar !== 'number' && typeof scalar !== 'bigint') {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `redOpCreatePreMulSum: scalar must be a number or a bigint; given ${showValue(scalar)}.`,
    );
  }
  return Object.freeze({ kind: 'preMulSum', scalar });
}

const names: Readonly<Record<RedOp, ReductionName>> = Object.freeze({
  [RedOp.Sum]: 'sum',
  [RedOp.Prod]: 'prod',
  [RedOp.Max]: 'max',
  [RedOp.Min]: 'min',
  [RedOp.Avg]: 'avg',
});

/** An operator as a launch needs it. */
export interface ResolvedOp {
  readonly name: ReductionName;
  /** What a scaled sum multiplies with; 1 for the others. */
  readonly scale: number | bigint;
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` where `op` is no operator, or one that has no meaning for the type. */
export function resolveOp(op: ReduceOp, element: ScalarKind, what: string): ResolvedOp {
  const one = element === 'i64' || element === 'u64' ? 1n : 1;
  if (typeof op === 'object' && op !== null && op.kind === 'preMulSum') {
    return { name: 'preMulSum', scale: op.scalar };
  }
  const name = typeof op === 'number' ? names[op] : undefined;
  if (name === undefined) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what}: op must be one of RedOp, or what redOpCreatePreMulSum gave; given ${showValue(op)}.`,
    );
  }
  return { name, scale: one };
}

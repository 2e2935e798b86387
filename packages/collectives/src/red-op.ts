import { NcclError, RedOp, showValue, type ScalarKind } from '@nccl-ts/core';

/**
 * The operator that multiplies values by `scalar` and sums them.
 *
 * @see ncclRedOpCreatePreMulSum
 */
export interface PreMulSum {
  readonly kind: 'preMulSum';
  readonly scalar: number | bigint;
}

/** The operator of a reduction: one of NCCL's operators, or a scaled sum. */
export type ReduceOp = RedOp | PreMulSum;

/** The names of the operators in kernels. */
export const reductionNames = ['sum', 'prod', 'max', 'min', 'avg', 'preMulSum'] as const;
export type ReductionName = (typeof reductionNames)[number];

/**
 * Makes the operator that sums `scalar * value` over the ranks. The product has the type of the sum
 * (f32 for f16 and bf16, f16 for FP8, otherwise the element type). The operator is a plain value,
 * which you need not free. Each rank's scalar applies to its own values, so ranks may pass
 * different scalars.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `scalar` is neither a number nor a bigint.
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

/** An operator in the form that a launch needs. */
export interface ResolvedOp {
  readonly name: ReductionName;
  /** The factor of a scaled sum; 1 for other operators. */
  readonly scale: number | bigint;
}

/**
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `op` is not an operator, or has no meaning for the
 *   type.
 */
export function resolveOp(op: ReduceOp, element: ScalarKind, what: string): ResolvedOp {
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
  return opNamed(name, element);
}

/** The operator of that name, which scales by 1 if it scales. */
export function opNamed(name: ReductionName, element: ScalarKind): ResolvedOp {
  return { name, scale: element === 'i64' || element === 'u64' ? 1n : 1 };
}

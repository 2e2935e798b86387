import { redOpCreatePreMulSum, type ReduceOp } from '@nccl-ts/collectives';
import { RedOp, type ScalarKind } from '@nccl-ts/core';

/** nccl-tests' operators, in its order. */
export const benchOps = ['sum', 'prod', 'max', 'min', 'avg', 'mulsum'] as const;
export type BenchOp = (typeof benchOps)[number];

/** What a scaled sum multiplies with, on every rank. */
export const MULSUM_SCALAR = 2;

/** The operator for collectives of elements of type `kind`. */
export function reduceOpOf(op: BenchOp, kind: ScalarKind): ReduceOp {
  const wide = kind === 'i64' || kind === 'u64';
  const made: Readonly<Record<BenchOp, ReduceOp>> = {
    sum: RedOp.Sum,
    prod: RedOp.Prod,
    max: RedOp.Max,
    min: RedOp.Min,
    avg: RedOp.Avg,
    mulsum: redOpCreatePreMulSum(wide ? BigInt(MULSUM_SCALAR) : MULSUM_SCALAR),
  };
  return made[op];
}
